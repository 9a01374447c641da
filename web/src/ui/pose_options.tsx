// Rows of the tool that poses joints: the chosen joint, its bone's length, pins, and how poses are kept.
import type { Signal } from "@preact/signals";
import { notSoon, soon } from "../pace";
import type { Stage } from "../scene/stage";
import { ask, motionTime, shownFrame, state, view } from "../session";
import {
  fresh,
  jointSize,
  keyed,
  limits,
  pins,
  posingOptions,
  ranged,
  reaches,
  SMALLEST,
  setLimit,
  togglePin,
} from "../tools/joints";
import { plainName } from "./words";

const SHORTEST = 0.4;
const LONGEST = 2.5;
const LARGEST_SLID = 3; // the handle on the stage goes farther

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
          class="button outlined"
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

export function Switch({ label, value, title }: { label: string; value: Signal<boolean>; title: string }) {
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
      <JointSize stage={stage} joint={joint} />
      <Limit joint={joint} />
      <Reach joint={joint} />
    </>
  );
}

/** How far a joint turns from rest at most, for all that pose it. */
function Limit({ joint }: { joint: number }) {
  const limit = limits.value.get(joint) ?? Math.PI;
  const degrees = Math.round((180 * limit) / Math.PI);
  return (
    <label class="chooser" title="How far from rest it turns at most while it is posed">
      <span>Turns</span>
      <input
        type="range"
        min={0}
        max={180}
        step={5}
        value={degrees}
        aria-label="Turns at most"
        aria-valuetext={degrees < 180 ? `${degrees} degrees` : "freely"}
        onInput={({ currentTarget }) => setLimit(joint, (Math.PI * Number(currentTarget.value)) / 180)}
      />
      <span class="quiet figure">{degrees < 180 ? `${degrees}°` : "freely"}</span>
    </label>
  );
}

/** How far the turn of a joint spreads along its bones, where the skin asks for it. */
function Reach({ joint }: { joint: number }) {
  if (!view.value?.maps.some(({ name }) => name === "reach_start")) return null;
  const reach = reaches.value.get(joint) ?? 0.5;
  const tell = (value: number, done: boolean) => {
    reaches.value = new Map(reaches.value).set(joint, value);
    ask({ do: "set-reach", joint, reach: value, done });
  };
  return (
    <label
      class="chooser"
      title="How far along its bones the skin turns with it; the map can be painted further"
    >
      <span>Reach</span>
      <input
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={reach}
        aria-label="Reach of the joint"
        onInput={({ currentTarget }) => {
          const value = Number(currentTarget.value);
          soon("reach", () => tell(value, false));
        }}
        onChange={({ currentTarget }) => {
          notSoon("reach");
          tell(Number(currentTarget.value), true);
        }}
      />
      <span class="quiet figure">{Math.round(100 * reach)} %</span>
    </label>
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

/** How large a joint is, with all that hangs on it. */
function JointSize({ stage, joint }: { stage: Stage; joint: number }) {
  shownFrame.value; // it is what the last frame shows
  if (!stage.joints?.frame) return null;
  const size = jointSize(stage, joint);
  const tell = (value: number, done: boolean) =>
    ask({ do: "scale-joint", joint, size: value, ...posingOptions(motionTime.value), done });
  return (
    <label class="chooser" title="How many times as large as at rest it is, with all that hangs on it">
      <span>Size</span>
      <input
        type="range"
        min={SMALLEST}
        max={LARGEST_SLID}
        step={0.01}
        value={size}
        aria-label="Size of the joint"
        aria-valuetext={`${size.toFixed(2)} times its size at rest`}
        onInput={({ currentTarget }) => {
          const value = Number(currentTarget.value);
          soon("size", () => tell(value, false));
        }}
        onChange={({ currentTarget }) => {
          notSoon("size");
          tell(Number(currentTarget.value), true);
        }}
      />
      <span class="quiet figure">{size.toFixed(2)} ×</span>
    </label>
  );
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
        onChange={({ currentTarget }) => {
          notSoon("stretch");
          tell(Number(currentTarget.value), true);
        }}
      />
      <span class="quiet figure">{stretch.toFixed(2)} ×</span>
    </label>
  );
}
