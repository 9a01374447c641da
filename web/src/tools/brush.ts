// The brush as the page keeps it: which map, what it does there, and how.
import { computed, signal } from "@preact/signals";
import type { MapRow } from "../messages";
import { view } from "../session";

export const mapName = signal("");
export const brushAction = signal("add");
export const strength = signal(0.5);
export const softness = signal(0.8);
export const fillValue = signal<number | null>(null); // null is the highest
export const mirror = signal(false);

/** The map that is painted: the one that was chosen, or the first that the skin reads. */
export const paintedMap = computed<MapRow | null>(() => {
  const maps = view.value?.maps ?? [];
  return maps.find(({ name }) => name === mapName.value) ?? maps[0] ?? null;
});
