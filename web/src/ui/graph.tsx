// The stages of a skin as a small drawing: what stands on what, and what can be done with the one that is chosen.
import type { StageInfo } from "../messages";
import { activeStage, ask, drafts, stage, state, view } from "../session";
import { Icon } from "./icons";
import { plainName } from "./words";

const ROW = 40; // [px]
const BOX = 28; // [px]
const WIDE = 100; // of the drawing, in its own units

interface Box {
  stage: StageInfo;
  row: number;
  middle: number; // in units of the drawing
  width: number;
}

/** Every stage below those it stands on: a skin under its input, a blend between its two. */
function laidOut(stages: readonly StageInfo[]): Box[] {
  const width = WIDE / Math.max(1, stages.filter(({ inputs }) => inputs.length === 0).length);
  const boxes = new Map<string, Box>();
  let lanes = 0;
  for (const one of stages) {
    const below = one.inputs.map((name) => boxes.get(name)).filter((box) => box !== undefined);
    const row = Math.max(-1, ...below.map((box) => box.row)) + 1;
    const middles = below.map((box) => box.middle);
    const middle = middles.length
      ? middles.reduce((sum, at) => sum + at, 0) / middles.length
      : (lanes++ + 0.5) * width;
    boxes.set(one.name, { stage: one, row, middle, width });
  }
  return [...boxes.values()];
}

export function GraphSection() {
  const now = state.value;
  const stages = view.value?.stages ?? [];
  if (!now || stages.length === 0) return null;
  const number = view.value?.view ?? 0;
  return (
    <section class="graph" aria-label="Stages of the skin">
      {stages.length > 1 && <Drawing stages={stages} />}
      {stages.length > 1 && stage.value && <StageActions chosen={stage.value} number={number} />}
      <div class="graph-add">
        <Add label="Put on top" all={now.tops} add={(skin) => ask({ do: "put-on", skin, view: number })} />
        <Add label="Blend with" all={now.skins} add={(skin) => ask({ do: "blend", skin, view: number })} />
      </div>
    </section>
  );
}

function Drawing({ stages }: { stages: readonly StageInfo[] }) {
  const boxes = laidOut(stages);
  const height = ROW * (1 + Math.max(...boxes.map(({ row }) => row))) - (ROW - BOX);
  return (
    <div class="drawing" style={{ height: `${height}px` }}>
      <svg viewBox={`0 0 ${WIDE} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {boxes.flatMap((box) =>
          box.stage.inputs.map((input) => {
            const from = boxes.find(({ stage: { name } }) => name === input)!;
            const [top, bottom] = [ROW * from.row + BOX, ROW * box.row];
            const half = (top + bottom) / 2;
            const path = `M${from.middle} ${top} C${from.middle} ${half} ${box.middle} ${half} ${box.middle} ${bottom}`;
            return <path key={`${input} ${box.stage.name}`} d={path} vector-effect="non-scaling-stroke" />;
          }),
        )}
      </svg>
      {boxes.map(({ stage: one, row, middle, width }) => (
        <button
          type="button"
          key={one.name}
          class={`button stage-box ${one.muted ? "muted" : ""}`}
          aria-pressed={stage.value?.name === one.name}
          title={one.inputs.length > 0 ? `${one.name}, on ${one.inputs.join(" and ")}` : one.name}
          style={{ left: `${middle - 0.46 * width}%`, width: `${0.92 * width}%`, top: `${ROW * row}px` }}
          onClick={() => {
            activeStage.value = one.name;
            drafts.value = {};
          }}
        >
          <span>{plainName(one.name)}</span>
        </button>
      ))}
    </div>
  );
}

function StageActions({ chosen, number }: { chosen: StageInfo; number: number }) {
  return (
    <div class="stage-actions">
      <span class="quiet">{plainName(chosen.name)}</span>
      <button
        type="button"
        class="button"
        aria-pressed={chosen.muted}
        title="Play without it; it stays here"
        onClick={() => ask({ do: "mute", stage: chosen.name, muted: !chosen.muted, view: number })}
      >
        Mute
      </button>
      <button
        type="button"
        class="button"
        aria-label={`Take out ${plainName(chosen.name)}`}
        title="Take it out; what stands on it stands on what it stood on"
        onClick={() => {
          activeStage.value = null;
          ask({ do: "remove-stage", stage: chosen.name, view: number });
        }}
      >
        <Icon name="close" />
        Take out
      </button>
    </div>
  );
}

function Add({ label, all, add }: { label: string; all: readonly string[]; add: (skin: string) => void }) {
  return (
    <select
      aria-label={label}
      value=""
      onChange={({ currentTarget }) => {
        activeStage.value = null;
        add(currentTarget.value);
        currentTarget.value = "";
      }}
    >
      <option value="" disabled>
        {label}
      </option>
      {all.map((name) => (
        <option key={name} value={name}>
          {plainName(name)}
        </option>
      ))}
    </select>
  );
}
