// Small curves under the time track: volume, stretch and speed of every view over the motion.
import { useSignal } from "@preact/signals";
import { CURVES, type Curve, changes, PARTS, valueAt, valuesOf } from "../curves";
import { curvesShown, motionTime, state } from "../session";
import { within } from "./layers/choice";

const HIGH = 28; // [px]

export function CurveList({ duration }: { duration: number }) {
  const hovered = useSignal<number | null>(null);
  if (!curvesShown.value) return null;
  changes.value;
  const none = CURVES.every(({ name }) => valuesOf(name).every((one) => knownOf([one]).length < 2));
  return (
    <section class="curves" aria-label="Measures over the motion">
      {CURVES.map((curve) => (
        <Row
          key={curve.name}
          curve={curve}
          part={hovered.value ?? partOf(motionTime.peek(), duration)}
          hovered={hovered.value}
          hover={(part) => {
            hovered.value = part;
          }}
        />
      ))}
      {none && <p class="quiet curves-wait">Curves are drawn while the motion plays.</p>}
    </section>
  );
}

function partOf(time: number, duration: number): number {
  return Math.min(PARTS - 1, Math.floor((PARTS * within(time, duration)) / duration));
}

interface RowProps {
  curve: Curve;
  part: number;
  hovered: number | null;
  hover: (part: number | null) => void;
}

function Row({ curve, part, hovered, hover }: RowProps) {
  const all = valuesOf(curve.name);
  const known = knownOf(all);
  const [low, high] = ends(known, 10 ** -curve.figures);
  return (
    <>
      <span class="curve-name">
        {curve.label} <span class="quiet">{curve.unit}</span>
      </span>
      <svg
        class="curve"
        viewBox={`0 0 ${PARTS} ${HIGH}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${curve.label}, ${known.length > 0 ? `${low.toFixed(curve.figures)} to ${high.toFixed(curve.figures)} ${curve.unit}` : "nothing yet"}`}
        onPointerMove={({ currentTarget, clientX }) => {
          const box = currentTarget.getBoundingClientRect();
          hover(Math.max(0, Math.min(PARTS - 1, Math.floor((PARTS * (clientX - box.left)) / box.width))));
        }}
        onPointerLeave={() => hover(null)}
      >
        {all.map((values, view) => (
          <path
            key={view}
            class={`view-${view}`}
            d={pathOf(values, low, high)}
            vector-effect="non-scaling-stroke"
          />
        ))}
        {hovered !== null && (
          <line x1={part + 0.5} x2={part + 0.5} y1={0} y2={HIGH} vector-effect="non-scaling-stroke" />
        )}
      </svg>
      <span class="curve-values">
        {all.map((values, view) => (
          <span key={view} title={state.value?.views[view]?.stages.at(-1)?.name}>
            <i class={`view-dot view-${view}`} />
            {valueAt(values, part)?.toFixed(curve.figures) ?? "–"}
          </span>
        ))}
      </span>
    </>
  );
}

function knownOf(all: readonly Float32Array[]): number[] {
  return all.flatMap((one) => [...one]).filter((value) => !Number.isNaN(value));
}

/** The least and the largest value, apart at least by what figures can show. */
function ends(values: readonly number[], least: number): [number, number] {
  if (values.length === 0) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high - low >= 2 * least ? [low, high] : [low - least, high + least];
}

/** A line through all values that are known. */
function pathOf(values: Float32Array, low: number, high: number): string {
  let path = "";
  values.forEach((value, part) => {
    if (Number.isNaN(value)) return;
    const y = HIGH - 2 - ((HIGH - 4) * (value - low)) / (high - low);
    path += `${path ? "L" : "M"}${part + 0.5} ${y.toFixed(2)}`;
  });
  return path;
}
