// Rows of the tool that poses joints: the chosen joint, its bone's length, pins, and how poses are kept.
import type { Signal } from "@preact/signals";
import { soon } from "../pace";
import type { Stage } from "../scene/stage";
import { ask, motionTime, shownFrame, state } from "../session";
import { fresh, keyed, pins, posingOptions, ranged, togglePin } from "../tools/joints";
import { plainName } from "./words";

const SHORTEST = 0.4;
const LONGEST = 2.5;

export function PoseOptions({ stage, chosen }: { stage: Stage; chosen: Signal<number | null> }) {
  const skeleton = state.value?.skeleton;
  const joint = chosen.value;
  return (
    <>
      {skeleton && joint !== null && joint < skeleton.names.length && (
        <ChosenJoint stage={stage} joint={joint} name={skeleton.names[joint]!} />
      )}
      <PoseSwitches />
    </>
  );
}

/** How poses are kept; the same for all tools that pose. */
export function PoseSwitches({ another = true }: { another?: boolean }) {
  return (
    <>
      <Switch label="Elbows and knees bend one way" value={ranged} title="Where the rig tells their axis" />
      <Switch label="Key at the playhead" value={keyed} title="Else the pose is there all the time" />
      {another && (
        <Switch label="Start another pose" value={fresh} title="Else posing goes on with the last one" />
      )}
      {pins.value.size > 0 && (
        <button
          type="button"
          class="button wide"
          onClick={() => {
            pins.value = new Set();
          }}
        >
          Let go of {pins.value.size === 1 ? "the pin" : `all ${pins.value.size} pins`}
        </button>
      )}
    </>
  );
}

function Switch({ label, value, title }: { label: string; value: Signal<boolean>; title: string }) {
  return (
    <label class="tool-switch" title={title}>
      <span>{label}</span>
      <input
        type="checkbox"
        class="switch"
        role="switch"
        aria-checked={value.value}
        checked={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.checked;
        }}
      />
    </label>
  );
}

function ChosenJoint({ stage, joint, name }: { stage: Stage; joint: number; name: string }) {
  const pinned = pins.value.has(joint);
  return (
    <>
      <div class="joint-row">
        <b>{plainName(name)}</b>
        <button
          type="button"
          class="button"
          aria-pressed={pinned}
          title="Hold it where it is while others are posed (P)"
          onClick={() => togglePin(joint)}
        >
          {pinned ? "Unpin" : "Pin"}
        </button>
        <button
          type="button"
          class="button"
          title="Take back what the last pose does to this joint"
          onClick={() => ask({ do: "reset-joint", joint, ...posingOptions(motionTime.value) })}
        >
          Reset
        </button>
      </div>
      <BoneLength stage={stage} joint={joint} />
    </>
  );
}

/** How many times as long as at rest the bone of a joint is, as it is shown. */
function stretchOf(stage: Stage, joint: number): number | null {
  const skeleton = stage.joints?.skeleton;
  const here = skeleton && stage.joint(joint);
  if (!here) return null;
  let [now, rest] = [0, 0];
  skeleton.parents.forEach((parent, child) => {
    if (parent !== joint) return;
    now += stage.joint(child)!.distanceTo(here);
    rest += skeleton.lengths[child]!;
  });
  return rest > 0 ? now / rest : null;
}

function BoneLength({ stage, joint }: { stage: Stage; joint: number }) {
  shownFrame.value; // it is what the last frame shows
  const stretch = stretchOf(stage, joint);
  if (stretch === null) return null;
  const tell = (value: number, done: boolean) =>
    ask({ do: "stretch-bone", joint, stretch: value, ...posingOptions(motionTime.value), done });
  return (
    <label class="chooser" title="How many times as long as at rest its bone is">
      <span>Bone</span>
      <input
        type="range"
        min={SHORTEST}
        max={LONGEST}
        step={0.01}
        value={stretch}
        aria-label="Length of the bone"
        aria-valuetext={`${stretch.toFixed(2)} times its length at rest`}
        onInput={({ currentTarget }) => {
          const value = Number(currentTarget.value);
          soon("stretch", () => tell(value, false));
        }}
        onChange={({ currentTarget }) => tell(Number(currentTarget.value), true)}
      />
      <span class="quiet figure">{stretch.toFixed(2)} ×</span>
    </label>
  );
}
