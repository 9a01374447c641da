// The brush as the page keeps it: which map, what it does there, and how.
import { computed, signal } from "@preact/signals";
import type { MapRow } from "../messages";
import { state, view } from "../session";

export const mapName = signal("");
export const shapeName = signal(""); // of the drawn shape that is touched up instead of a map
export const brushAction = signal(""); // what was chosen; none is what shows most
export const strength = signal(0.5);
export const softness = signal(0.8);
export const fillValue = signal<number | null>(null); // null is the highest
export const mirror = signal(false);

/** The drawn shape that is touched up, where one was chosen or there is no map to paint. */
export const retouched = computed<string | null>(() => {
  const shapes = state.value?.edits.shapes ?? [];
  if (shapes.includes(shapeName.value)) return shapeName.value;
  return paintedMap.value ? null : (shapes[0] ?? null);
});

/** What the brush does: what was chosen, if it can be done there. Nothing can be added to a map that is full. */
export const action = computed<string>(() => {
  const paint = state.value?.paint;
  const offered = (retouched.value === null ? paint?.actions : paint?.retouching) ?? [];
  if (offered.includes(brushAction.value)) return brushAction.value;
  const map = retouched.value === null ? paintedMap.value : null;
  const full = map !== null && map.default === map.high;
  return full && offered.includes("subtract") ? "subtract" : (offered[0] ?? "");
});

/** The map that is painted: the one that was chosen, or the first that the skin reads. */
export const paintedMap = computed<MapRow | null>(() => {
  const maps = view.value?.maps ?? [];
  return maps.find(({ name }) => name === mapName.value) ?? maps[0] ?? null;
});
