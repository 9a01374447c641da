// How much there is of every shape and pose in the frame that is shown; the engine says it with every frame.
import { signal } from "@preact/signals";
import type { AmountsFrame } from "./frames";
import { state } from "./session";

const KEPT = 8; // frames that came and were not drawn yet
const waiting = new Map<number, Float32Array>();

/** By name. */
export const amounts = signal<Readonly<Record<string, number>>>({});

export function newestAmounts(frame: AmountsFrame): void {
  waiting.set(frame.frame, frame.amounts);
  for (const old of waiting.keys()) if (waiting.size > KEPT) waiting.delete(old);
}

/** A frame was drawn: its amounts are shown. */
export function showAmounts(frame: number): void {
  const values = waiting.get(frame);
  const { shapes = [], poses = [] } = state.peek()?.edits ?? {};
  const names = [...shapes, ...poses];
  if (!values || values.length !== names.length) return;
  amounts.value = Object.fromEntries(names.map((name, i) => [name, values[i]!]));
}
