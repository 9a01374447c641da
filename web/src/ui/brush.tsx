// The brush's rows in the panel: which map or drawn shape, what the brush does there, and how.
import type { Signal } from "@preact/signals";
import type { MapRow } from "../messages";
import { ask, state, view } from "../session";
import {
  action,
  brushAction,
  fillValue,
  mapName,
  mirror,
  paintedMap,
  retouched,
  shapeName,
  softness,
  strength,
} from "../tools/brush";
import { shown } from "./scale";
import { plainName } from "./words";

const TOUCHES: Record<string, string> = {
  erase: "Takes away what was drawn.",
  smooth: "Smooths what was drawn.",
  follow: "Skin under the brush follows what was drawn.",
  stay: "Skin under the brush stays, and what was drawn ends at it.",
};

export function BrushOptions() {
  const [map, shape] = [paintedMap.value, retouched.value];
  const offered = shape === null ? state.value?.paint.actions : state.value?.paint.retouching;
  if (!map && shape === null) return <NoMaps />;
  return (
    <div class="brush">
      <Painted />
      <p class="quiet">{shape === null && map ? meaning(map) : (TOUCHES[action.value] ?? "")}</p>
      <fieldset class="actions-of-brush">
        <legend class="visually-hidden">What the brush does</legend>
        {(offered ?? []).map((one) => (
          <button
            type="button"
            class="button"
            key={one}
            aria-pressed={action.value === one}
            onClick={() => {
              brushAction.value = one;
            }}
          >
            {plainName(one)}
          </button>
        ))}
      </fieldset>
      <Slider label="Strength" value={strength} title="What the middle of the brush does" />
      <Slider label="Soft edge" value={softness} title="The share of the radius over which it fades" />
      {action.value === "fill" && map && <FillValue map={map} />}
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
      {shape === null && map && <WholeMap map={map} />}
    </div>
  );
}

/** What is painted: one of the maps that the skin reads, or one of the shapes that were drawn. */
function Painted() {
  const [map, shape] = [paintedMap.value, retouched.value];
  const [maps, shapes] = [view.value?.maps ?? [], state.value?.edits.shapes ?? []];
  return (
    <label class="chooser">
      <span>Paint</span>
      <select
        value={shape === null ? `map ${map?.name}` : `shape ${shape}`}
        onChange={({ currentTarget: { value } }) => {
          const name = value.slice(value.indexOf(" ") + 1);
          shapeName.value = value.startsWith("shape ") ? name : "";
          if (value.startsWith("map ")) mapName.value = name;
          fillValue.value = null;
        }}
      >
        {maps.length > 0 && (
          <optgroup label="Maps">
            {maps.map(({ name, painted }) => (
              <option key={name} value={`map ${name}`}>
                {plainName(name)}
                {painted ? " (painted)" : ""}
              </option>
            ))}
          </optgroup>
        )}
        {shapes.length > 0 && (
          <optgroup label="Drawn shapes">
            {shapes.map((name) => (
              <option key={name} value={`shape ${name}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

/** What is done to a map everywhere at once. */
function WholeMap({ map }: { map: MapRow }) {
  const value = fillValue.value ?? map.high;
  return (
    <div class="button-row">
      <button
        type="button"
        class="button"
        onClick={() => ask({ do: "fill-map", map: map.name, value, view: view.value?.view ?? 0 })}
      >
        Fill all with {shown(value)}
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
