// Which measure is shown as colours, and what the colours stand for.
import type { MeasureInfo } from "../messages";
import { upright } from "../scene/layout";
import { RAMPS } from "../scene/ramps";
import { ask, state } from "../session";
import { longestArrow, range } from "../shown";
import { shown } from "./scale";
import { plainName } from "./words";

const WEIGHT = "weight:";

/** In the panel: none, a measure, or the weights of a joint. */
export function MeasureChooser() {
  const now = state.value;
  if (!now) return null;
  const { measure, measures } = now.shown;
  const isWeight = measure?.name.startsWith(WEIGHT) ?? false;
  const show = (name: string) => ask({ do: "show", measure: name });
  const there = !measure || isWeight || measures.some(({ name }) => name === measure.name);
  return (
    <>
      <label class="chooser">
        <span>Colours</span>
        <select
          value={isWeight ? WEIGHT : (measure?.name ?? "")}
          title="Show a measure on the skin"
          onChange={({ currentTarget }) =>
            show(currentTarget.value === WEIGHT ? `${WEIGHT}${now.skeleton.names[0]}` : currentTarget.value)
          }
        >
          <option value="">the skin itself</option>
          {[...measures, ...(there ? [] : [measure])].map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          <option value={WEIGHT}>Weights of a joint …</option>
        </select>
      </label>
      {isWeight && (
        <label class="chooser">
          <span>Joint</span>
          <select value={measure?.name} onChange={({ currentTarget }) => show(currentTarget.value)}>
            {now.skeleton.names.map((name) => (
              <option key={name} value={`${WEIGHT}${name}`}>
                {plainName(name)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

const LINES: Record<string, string> = { forces: "forces, as arrows", attachment: "what skin hangs on" };

/** In the panel: none, forces as arrows, or lines to what every vertex hangs on. */
export function LinesChooser() {
  const shown = state.value?.shown;
  if (!shown) return null;
  const all = shown.lines_offered.includes(shown.lines)
    ? shown.lines_offered
    : [...shown.lines_offered, shown.lines];
  return (
    <label class="chooser">
      <span>Lines</span>
      <select
        value={shown.lines}
        title="Draw lines from the skin"
        onChange={({ currentTarget }) => ask({ do: "show", lines: currentTarget.value })}
      >
        <option value="">none</option>
        {all.filter(Boolean).map((name) => (
          <option key={name} value={name}>
            {LINES[name] ?? name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** On the stage, while a measure or arrows are shown. */
export function Legend() {
  const measure = state.value?.shown.measure;
  const arrows = state.value?.shown.lines === "forces" && longestArrow.value > 0;
  if (!measure && !arrows) return null;
  return (
    <div class={`legends ${upright.value ? "upright" : ""}`}>
      {arrows && (
        <figure
          class="legend arrows"
          aria-label={`Force, ${shown(longestArrow.value)} where arrows are longest`}
        >
          <figcaption>
            Force <span class="quiet">longest arrow {shown(longestArrow.value)}</span>
          </figcaption>
        </figure>
      )}
      {measure && <Ramp measure={measure} />}
    </div>
  );
}

function Ramp({ measure }: { measure: MeasureInfo }) {
  const [low, high] = range.value;
  const colours = RAMPS[measure.signed ? "signed" : "plain"].join(", ");
  return (
    <figure class="legend" aria-label={`${measure.label}, ${shown(low)} to ${shown(high)} ${measure.unit}`}>
      <figcaption>
        {measure.label}
        {measure.unit && <span class="quiet"> {measure.unit}</span>}
      </figcaption>
      <div
        class="ramp"
        style={{ background: `linear-gradient(to ${upright.value ? "top" : "right"}, ${colours})` }}
      />
      <div class="ends quiet">
        <span>{shown(low)}</span>
        {low < 0 && <span>0</span>}
        <span>{shown(high)}</span>
      </div>
    </figure>
  );
}
