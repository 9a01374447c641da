// Rows of the ghosts: how many before and after, how far apart, and the joint whose way is drawn.
import type { GhostsInfo } from "../../messages";
import { ask, state } from "../../session";
import { lastHeld } from "../drag_options";

export function GhostRows() {
  const now = state.value;
  if (!now?.ghosts.on) return null;
  const { ghosts: shown, skeleton } = now;
  const held = lastHeld.value === null ? "" : `vertex:${lastHeld.value}`;
  return (
    <section class="ghosts" aria-label="Ghosts">
      <h2>Ghosts</h2>
      <Count label="Before" shown={shown} word="before" low={0} high={8} />
      <Count label="After" shown={shown} word="after" low={0} high={8} />
      <Count label="Every" unit="frames" shown={shown} word="spacing" low={1} high={30} />
      <label class="line">
        <span class="quiet">Trail</span>
        <select
          value={shown.trail}
          onChange={(event) => ask({ do: "show-ghosts", trail: event.currentTarget.value })}
        >
          <option value="">of nothing</option>
          {held !== "" && <option value={held}>of the place last held</option>}
          {skeleton.names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </section>
  );
}

function Count({
  label,
  word,
  unit = "",
  shown,
  low,
  high,
}: {
  label: string;
  word: "before" | "after" | "spacing";
  unit?: string;
  shown: GhostsInfo;
  low: number;
  high: number;
}) {
  return (
    <label class="line">
      <span class="quiet">{label}</span>
      <input
        type="range"
        min={low}
        max={high}
        step={1}
        value={shown[word]}
        aria-valuetext={`${shown[word]} ${unit}`}
        onInput={(event) => ask({ do: "show-ghosts", [word]: Number(event.currentTarget.value) })}
      />
      <span class="quiet figure">
        {shown[word]} {unit}
      </span>
    </label>
  );
}
