// How strokes raise the skin, and which of them is in the hand.
import { computed, signal } from "@preact/signals";
import type { LayerInfo, StrokeInfo } from "../../messages";
import { ask, state } from "../../session";

export const METHODS = ["smooth", "rigid", "laplacian"] as const;
export const USUAL_PROFILES = ["even", "bell", "parabola"] as const;

export const height = signal(0.022); // at full pressure, in sizes of the character
export const reach = signal(0.035); // in sizes of the character
export const method = signal<string>("smooth");
export const profile = signal<string>("even");
export const forced = signal(false); // whether the line alone is held, and skin follows by its springs
export const force = signal(20); // how many times as hard as its springs
export const creases = signal(false); // whether they are outline too
export const otherWay = signal(false); // round the outline

const chosenName = signal<string | null>(null);
export const chosenKnot = signal<number | null>(null);
export const insertAfter = signal<number | null>(null); // the knot behind which one more is wanted

export const strokes = computed<readonly StrokeInfo[]>(() => state.value?.edits.skin_strokes ?? []);
export const size = computed(() => state.value?.mesh.size || 1.8);

/** The stroke whose knots are shown large; the last that was drawn if none was chosen. */
export const chosenStroke = computed<StrokeInfo | null>(
  () => strokes.value.find(({ name }) => name === chosenName.value) ?? strokes.value.at(-1) ?? null,
);

export function chooseStroke(name: string | null, knot: number | null = null): void {
  chosenName.value = name;
  chosenKnot.value = knot;
}

/** The layer that plays a stroke's shape. */
export function layerOf({ name }: StrokeInfo): LayerInfo | null {
  const layers = state.value?.edits.layers ?? [];
  return layers.find(({ keys }) => keys.some(({ use }) => use === name)) ?? null;
}

export function isHidden(stroke: StrokeInfo): boolean {
  return layerOf(stroke)?.mute ?? true;
}

/** The key that deletes: the knot that is chosen, or the whole stroke. */
export function deleteChosen(event: KeyboardEvent): void {
  if (event.key !== "Delete" && event.key !== "Backspace") return;
  if (event.target instanceof HTMLElement && event.target.closest("input, select, dialog, .timeline")) return;
  const stroke = chosenStroke.value;
  if (!stroke) return;
  event.preventDefault();
  if (chosenKnot.value === null || stroke.triangles.length < 2)
    ask({ do: "delete-stroke", stroke: stroke.name });
  else ask({ do: "delete-knot", stroke: stroke.name, knot: chosenKnot.value });
  chosenKnot.value = null;
}
