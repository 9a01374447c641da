// Which key is chosen, which sheet is open, and what a hand is doing to a key; the engine knows nothing of these.
import { signal } from "@preact/signals";
import type { LayerInfo } from "../../messages";
import { ask, motionTime, state } from "../../session";

export interface KeyName {
  layer: string;
  time: number; // [s]
}

export const chosenKey = signal<KeyName | null>(null);
export const openSheet = signal<{ key: KeyName } | { layer: string } | null>(null);
/** A key on its way to another time, or a copy of it. */
export const movedKey = signal<(KeyName & { to: number; copy: boolean }) | null>(null);
/** Whether layers are shown; null while nobody has said so, when they are shown where there are any. */
export const layersWanted = signal<boolean | null>(null);

export function layersShown(): boolean {
  return layersWanted.value ?? (state.value?.edits.layers.length ?? 0) > 0;
}

export function isChosen(layer: string, time: number): boolean {
  return chosenKey.value?.layer === layer && chosenKey.value.time === time;
}

/** A time of the motion, which may have gone round. */
export function within(time: number, duration: number): number {
  return time >= 0 && time <= duration ? time : ((time % duration) + duration) % duration;
}

/** The nearest frame of the motion [s]. */
export function onFrame(time: number): number {
  const fps = state.value?.transport.fps || 60;
  return Math.round(time * fps) / fps;
}

/** Where the playhead stands, on a frame [s]. */
export function playhead(): number {
  const duration = state.value?.transport.duration;
  return onFrame(duration ? within(motionTime.value, duration) : motionTime.value);
}

/** Take a key to another time, and choose it there. */
export function moveKey({ layer, time }: KeyName, to: number, copy = false): void {
  if (to === time) return;
  ask({ do: "change-key", layer, time, to, copy });
  chosenKey.value = { layer, time: to };
}

export function deleteKey({ layer, time }: KeyName): void {
  ask({ do: "delete-key", layer, time });
  chosenKey.value = null;
  openSheet.value = null;
}

/** A key at the playhead that changes nothing as yet. */
export function addKey({ name }: LayerInfo): void {
  const time = playhead();
  ask({ do: "add-key", layer: name, time });
  chosenKey.value = { layer: name, time };
}
