// Measures over the motion's time: for every view one value for every part of the motion, the last that came.
import { signal } from "@preact/signals";
import type { CurvesInfo } from "./messages";

export const PARTS = 160; // of the motion

export interface Curve {
  name: "volume" | "stretch" | "speed";
  label: string;
  unit: string;
  figures: number; // after the point
}

export const CURVES: readonly Curve[] = [
  { name: "volume", label: "Volume", unit: "%", figures: 1 },
  { name: "stretch", label: "Largest stretch", unit: "%", figures: 0 },
  { name: "speed", label: "Mean speed", unit: "m/s", figures: 2 },
];

/** How often they have changed. */
export const changes = signal(0);

const values = new Map<Curve["name"], Float32Array[]>();
let about = "";

/** Keep the values of all views at a time of a motion; those of anything else that was shown before go. */
export function takeCurves({ time, views }: CurvesInfo, motion: string, duration: number | null): void {
  if (!duration) return;
  const now = `${motion} ${duration} ${views.length}`;
  if (now !== about) values.clear();
  about = now;
  const place = ((time % duration) + duration) % duration;
  const part = Math.min(PARTS - 1, Math.floor((PARTS * place) / duration));
  for (const { name } of CURVES) {
    const kept = values.get(name) ?? views.map(() => new Float32Array(PARTS).fill(Number.NaN));
    views.forEach((view, i) => {
      kept[i]![part] = view[name] ?? Number.NaN;
    });
    values.set(name, kept);
  }
  changes.value++;
}

/** What is known of a measure, by view. */
export function valuesOf(name: Curve["name"]): readonly Float32Array[] {
  return values.get(name) ?? [];
}

/** The value nearest to a part of the motion, or null where nothing is near. */
export function valueAt(of: Float32Array, part: number): number | null {
  for (let away = 0; away <= PARTS / 20; away++)
    for (const at of [part - away, part + away]) {
      const value = of[at];
      if (value !== undefined && !Number.isNaN(value)) return value;
    }
  return null;
}
