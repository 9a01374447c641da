// One layer: its name, whether and how much it counts, and its keys over time.
import { useRef } from "preact/hooks";
import type { LayerInfo } from "../../messages";
import { ask } from "../../session";
import { Icon } from "../icons";
import { AmountField } from "./amount";
import { addKey, openSheet } from "./choice";
import { KeyMark } from "./key";
import { LayerSheet } from "./layer_sheet";

export function LayerRow({
  layer,
  place,
  count,
  duration,
}: {
  layer: LayerInfo;
  place: number;
  count: number;
  duration: number;
}) {
  const name = useRef<HTMLButtonElement>(null);
  const draft = `layer ${layer.name}`;
  const sheet = openSheet.value;
  const isOpen = sheet !== null && "layer" in sheet && sheet.layer === layer.name;
  const later = layer.keys.filter(({ time }) => time > duration);
  return (
    <div class={`layer ${layer.mute ? "muted" : ""}`} role="group" aria-label={`Layer ${layer.name}`}>
      <div class="layer-head">
        <button
          ref={name}
          type="button"
          class="layer-name"
          title={`${layer.name}: name, order, repeat`}
          aria-expanded={isOpen}
          onClick={() => {
            openSheet.value = isOpen ? null : { layer: layer.name };
          }}
        >
          {layer.name}
        </button>
        <Toggle layer={layer} word="mute" letter="M" />
        <Toggle layer={layer} word="solo" letter="S" />
        <AmountField
          bare
          name={draft}
          label="Amount"
          value={layer.amount}
          change={(amount, done) => ask({ do: "change-layer", layer: layer.name, amount, done })}
        />
      </div>
      <div class="key-row">
        {layer.keys
          .filter(({ time }) => time >= 0 && time <= duration)
          .map((info) => (
            <KeyMark key={info.time} layer={layer} info={info} duration={duration} />
          ))}
      </div>
      <div class="layer-end">
        <span
          class="quiet"
          title={later.map(({ time, use }) => `${use || "nothing"} at ${time.toFixed(2)} s`).join("\n")}
        >
          {later.length > 0 && `${later.length} later`}
          {layer.repeat && " ↻"}
        </span>
        <button
          type="button"
          class="button small"
          aria-label={`Key of ${layer.name} at the playhead`}
          title="Key at the playhead"
          onClick={() => addKey(layer)}
        >
          <Icon name="key" />
        </button>
      </div>
      {isOpen && <LayerSheet layer={layer} place={place} count={count} anchor={() => name.current} />}
    </div>
  );
}

function Toggle({ layer, word, letter }: { layer: LayerInfo; word: "mute" | "solo"; letter: string }) {
  return (
    <button
      type="button"
      class="toggle"
      aria-label={`${word === "mute" ? "Mute" : "Solo"} ${layer.name}`}
      aria-pressed={layer[word]}
      title={word === "mute" ? "Mute: counts for nothing" : "Solo: only layers on solo count"}
      onClick={() => ask({ do: "change-layer", layer: layer.name, [word]: !layer[word] })}
    >
      {letter}
    </button>
  );
}
