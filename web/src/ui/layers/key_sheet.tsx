// What a key says: of which shape or pose it is, how much of it there is, and the way to the next key.
import type { EasingInfo, KeyInfo, LayerInfo } from "../../messages";
import { ask, state } from "../../session";
import { Icon } from "../icons";
import { AmountField } from "./amount";
import { BezierEditor, bezierOf, FIRST_BEZIER } from "./bezier";
import { deleteKey, openSheet } from "./choice";
import { Popover } from "./popover";

const close = () => {
  openSheet.value = null;
};

export function KeySheet({
  layer,
  info,
  anchor,
}: {
  layer: LayerInfo;
  info: KeyInfo;
  anchor: () => Element | null;
}) {
  const edits = state.value!.edits;
  const key = { layer: layer.name, time: info.time };
  const change = (what: { use?: string; amount?: number; ease?: string; done?: boolean }) =>
    ask({ do: "change-key", ...key, ...what });
  const bezier = bezierOf(info.ease);
  return (
    <Popover label={`Key of ${layer.name}`} anchor={anchor} close={close}>
      <header>
        <b>{layer.name}</b>
        <span class="quiet">{info.time.toFixed(3)} s</span>
        <button
          type="button"
          class="button small"
          aria-label="Delete this key"
          title="Delete this key (Delete)"
          onClick={() => deleteKey(key)}
        >
          <Icon name="bin" />
        </button>
      </header>
      <label class="line">
        <span class="quiet">Shape</span>
        <select value={info.use} onChange={(event) => change({ use: event.currentTarget.value })}>
          <option value="">nothing</option>
          {[...edits.shapes, ...edits.poses].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {info.use && (
        <AmountField
          name={`key ${key.layer} ${key.time}`}
          label="Amount"
          value={info.amount}
          change={(amount, done) => change({ amount, done })}
        />
      )}
      <div class="easings" role="radiogroup" aria-label="The way to the next key">
        {edits.easings.map((easing) => (
          <button
            type="button"
            role="radio"
            key={easing.name}
            class="easing"
            aria-checked={easing.name === info.ease}
            aria-label={easing.name}
            title={easing.name}
            onClick={() => change({ ease: easing.name })}
          >
            <Curve easing={easing} />
          </button>
        ))}
        <button
          type="button"
          role="radio"
          class="easing"
          aria-checked={bezier !== null}
          aria-label="a curve of your own"
          title="a curve of your own"
          onClick={() => bezier ?? change({ ease: FIRST_BEZIER })}
        >
          <svg viewBox="-2 0 24 16" width="24" height="16" aria-hidden="true">
            <path
              d="M2 13C12 13 8 3 18 3M2 13h8M18 3h-8"
              fill="none"
              stroke="currentColor"
              stroke-width="1.2"
            />
            <circle cx="10" cy="13" r="1.8" fill="currentColor" />
            <circle cx="10" cy="3" r="1.8" fill="currentColor" />
          </svg>
        </button>
      </div>
      {bezier && <BezierEditor ends={bezier} change={(ease, done) => change({ ease, done })} />}
      <p class="quiet centred">
        {bezier ? "your own curve" : info.ease.replaceAll("-", " ")} to the next key
      </p>
    </Popover>
  );
}

function Curve({ easing: { name, curve } }: { easing: EasingInfo }) {
  const last = curve.length - 1;
  const place = (value: number, i: number) =>
    `${((20 * i) / last).toFixed(1)} ${(14 - 12 * value).toFixed(1)}`;
  const line = name === "hold" ? `M0 14 H20 V2` : `M${curve.map((value, i) => place(value, i)).join(" L")}`;
  return (
    <svg viewBox="-2 0 24 16" width="24" height="16" aria-hidden="true">
      <path d={line} fill="none" stroke="currentColor" stroke-width="1.4" />
    </svg>
  );
}
