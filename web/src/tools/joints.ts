// What tools of the skeleton share: where the joints are, which one a pixel means, and what is held.
import { signal } from "@preact/signals";
import { pixelOfPlace } from "../scene/gizmo";
import type { Stage } from "../scene/stage";
import { type Vector2, Vector3 } from "../three";

const NEAR = 13; // [CSS pixels]: a joint this near to the pointer is meant
export const SMALLEST = 0.2; // that a joint is made, times its size at rest
export const LARGEST = 5;
export const ON_IT = 5; // [CSS pixels]: so near that it is meant even where a ring is

/** Joints that are held while others are posed, by their numbers. */
export const pins = signal<ReadonlySet<number>>(new Set());
/** Whether poses get keys at the playhead, and elbows and knees bend as they can. */
export const keyed = signal(false);
export const ranged = signal(true);
/** Whether the next pose is another one. */
export const fresh = signal(false);

/** How far joints turn from rest at most [rad], where a hand has said so, and how far they reach along their bones. */
export const limits = signal<ReadonlyMap<number, number>>(new Map());
export const reaches = signal<ReadonlyMap<number, number>>(new Map());

/** Half a turn is no limit. */
export function setLimit(joint: number, angle: number): void {
  const others = new Map(limits.value);
  if (angle >= Math.PI - 1e-6) others.delete(joint);
  else others.set(joint, angle);
  limits.value = others;
}

export function togglePin(joint: number): void {
  const others = [...pins.value].filter((one) => one !== joint);
  pins.value = new Set(pins.value.has(joint) ? others : [...others, joint]);
}

/** What goes with every command that poses. */
export function posingOptions(time: number): {
  time: number;
  pins: number[];
  ranges: boolean;
  limits: [number, number][];
  key: boolean;
  fresh: boolean;
} {
  const held = { pins: [...pins.value], ranges: ranged.value, limits: [...limits.value] };
  return { time, ...held, key: keyed.value, fresh: fresh.value };
}

/** Where all joints are [m]; none while nobody knows. */
export function jointPlaces(stage: Stage): Vector3[] {
  const joints = stage.joints;
  if (!joints?.frame) return [];
  return joints.skeleton.names.map((_, joint) => stage.joint(joint, new Vector3())!);
}

/** The joint that a pixel means: the nearest, and of those as near the one in front. */
export function jointUnder(stage: Stage, pixel: Vector2, near = NEAR): number | null {
  const { camera } = stage.viewer;
  const window = stage.boxOf(stage.pane);
  let [nearest, found] = [near, null as number | null];
  jointPlaces(stage).forEach((place, joint) => {
    const away = pixelOfPlace(place, camera, window).distanceTo(pixel);
    if (away < nearest) [nearest, found] = [away, joint];
  });
  return found;
}

/** How large a joint is shown, times its size beside its parent at rest. */
export function jointSize(stage: Stage, joint: number): number {
  const { skeleton, frame } = stage.joints!;
  const volume = (one: number) => {
    const m = frame!.transforms.subarray(12 * one, 12 * one + 12);
    const [x, y, z] = [0, 1, 2].map((column) => new Vector3(m[column], m[4 + column], m[8 + column]));
    return Math.abs(x!.dot(y!.cross(z!)));
  };
  const parent = skeleton.parents[joint]!;
  const beside = parent < 0 ? 1 : volume(parent);
  return Math.cbrt(volume(joint) / Math.max(beside, 1e-30)) / skeleton.sizes[joint]!;
}

/** Axes of the rings about a joint: across, along its bone, and square to both. */
export function jointAxes(stage: Stage, joint: number): [Vector3, Vector3, Vector3] {
  const { skeleton, frame } = stage.joints!;
  const here = stage.joint(joint)!;
  const along = new Vector3();
  skeleton.parents.forEach((parent, child) => {
    if (parent === joint) along.add(stage.joint(child)!.sub(here));
  });
  const parent = skeleton.parents[joint]!;
  if (along.length() < 1e-6 && parent >= 0) along.subVectors(here, stage.joint(parent)!);
  if (along.length() < 1e-6) along.set(0, 1, 0);
  along.normalize();
  const at = 12 * joint;
  const columns = [0, 1, 2].map(
    (column) =>
      new Vector3(
        frame!.transforms[at + column]!,
        frame!.transforms[at + 4 + column]!,
        frame!.transforms[at + 8 + column]!,
      ),
  );
  // The joint's own axis that is least along the bone, so that the rings turn with the joint.
  const across = columns.reduce((best, one) =>
    Math.abs(one.dot(along)) / one.length() < Math.abs(best.dot(along)) / best.length() ? one : best,
  );
  across.addScaledVector(along, -across.dot(along)).normalize();
  return [across, along, new Vector3().crossVectors(across, along)];
}
