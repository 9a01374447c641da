// The brush's rows in the panel: which map, what the brush does there, and how.
import type { Signal } from "@preact/signals";
import type { MapRow } from "../messages";
import { ask, state, view } from "../session";
import { brushAction, fillValue, mapName, mirror, paintedMap, softness, strength } from "../tools/brush";
import { shown } from "./scale";
import { plainName } from "./words";

export function BrushOptions() {
  const map = paintedMap.value;
  if (!map) return <NoMaps />;
  return (
    <div class="brush">
      <label class="chooser">
        <span>Map</span>
        <select
          value={map.name}
          onChange={(event) => {
            mapName.value = event.currentTarget.value;
            fillValue.value = null;
          }}
        >
          {(view.value?.maps ?? []).map(({ name, painted }) => (
            <option key={name} value={name}>
              {plainName(name)}
              {painted ? " (painted)" : ""}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet">{meaning(map)}</p>
      <fieldset class="actions-of-brush">
        <legend class="visually-hidden">What the brush does</legend>
        {(state.value?.paint.actions ?? []).map((action) => (
          <button
            type="button"
            class="button"
            key={action}
            aria-pressed={brushAction.value === action}
            onClick={() => {
              brushAction.value = action;
            }}
          >
            {plainName(action)}
          </button>
        ))}
      </fieldset>
      <Slider label="Strength" value={strength} title="What the middle of the brush does" />
      <Slider label="Soft edge" value={softness} title="The share of the radius over which it fades" />
      {brushAction.value === "fill" && <FillValue map={map} />}
      <label class="check" title="Paint the other side of the body too">
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={mirror.value}
          checked={mirror.value}
          disabled={!state.value?.paint.mirrors}
          onChange={(event) => {
            mirror.value = event.currentTarget.checked;
          }}
        />
        <span>Both sides</span>
      </label>
      <div class="button-row">
        <button
          type="button"
          class="button"
          onClick={() =>
            ask({
              do: "fill-map",
              map: map.name,
              value: fillValue.value ?? map.high,
              view: view.value?.view ?? 0,
            })
          }
        >
          Fill all with {shown(fillValue.value ?? map.high)}
        </button>
        <button
          type="button"
          class="button"
          disabled={!map.painted}
          onClick={() => ask({ do: "reset-map", map: map.name })}
        >
          Clear
        </button>
      </div>
    </div>
  );
}

function meaning({ label, low, high, unit, default: usual }: MapRow): string {
  const range = `${shown(low)} to ${shown(high)}${unit && ` ${unit}`}`;
  return `${label}. ${range}; ${usual === null ? "found by the skin" : shown(usual)} where nothing is painted.`;
}

function NoMaps() {
  const readers = state.value?.paint.skins ?? [];
  return (
    <div class="brush">
      <p class="quiet">This skin reads no painted maps. These do:</p>
      <div class="button-row">
        {readers.map((skin) => (
          <button
            type="button"
            class="button"
            key={skin}
            onClick={() => ask({ do: "choose-skin", skin, view: view.value?.view ?? 0 })}
          >
            {plainName(skin)}
          </button>
        ))}
      </div>
    </div>
  );
}

function Slider({ label, value, title }: { label: string; value: Signal<number>; title: string }) {
  return (
    <label class="chooser" title={title}>
      <span>{label}</span>
      <input
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={value.value}
        onInput={(event) => {
          value.value = Number(event.currentTarget.value);
        }}
      />
      <span class="quiet figure">{Math.round(100 * value.value)} %</span>
    </label>
  );
}

function FillValue({ map }: { map: MapRow }) {
  const value = fillValue.value ?? map.high;
  return (
    <label class="chooser" title="What the brush fills with">
      <span>Value</span>
      <input
        type="range"
        min={map.low}
        max={map.high}
        step={(map.high - map.low) / 100}
        value={value}
        onInput={(event) => {
          fillValue.value = Number(event.currentTarget.value);
        }}
      />
      <span class="quiet figure">
        {shown(value)} {map.unit}
      </span>
    </label>
  );
}
