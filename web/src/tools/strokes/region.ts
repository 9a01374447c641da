// The skin round the chosen stroke in three colours, while it is pointed at or its width changes; the wheel changes it.
import { computed, effect, signal } from "@preact/signals";
import { ask, link, state } from "../../session";
import { chosenStroke, reach, size } from "./settings";

const LINGERS = 1500; // after its width was changed [ms]
const ONE_STEP = 500; // without the wheel, after which what it did is one step [ms]
const SHORTEST_WAIT = 50; // between two commands [ms]
const LONGEST_WAIT = 2000; // for the engine to tell of a width: what it has refused it tells nothing of [ms]
const TURN = 0.0015; // of the width, for every pixel that a wheel scrolls
export const WIDEST = 0.15; // in sizes of the character
const NARROWEST = 0.002;

/** Whether it is shown all the time. */
export const regionShown = signal(false);
const pointedAt = signal(false);
const changing = signal(false);
const inHand = signal(false); // whether a tool is chosen that has strokes

/** The stroke whose region is wanted; none has no name. */
const wanted = computed(() =>
  inHand.value && (regionShown.value || pointedAt.value || changing.value)
    ? (chosenStroke.value?.name ?? "")
    : "",
);

/** What the engine tells of it. */
export const region = computed(() => {
  const told = state.value?.edits.region ?? null;
  return told && told.stroke === wanted.value ? told : null;
});

effect(() => {
  const name = wanted.value;
  if (link.value.open && state.peek()) ask({ do: "show", region: name });
});

export function takeRegionInHand(taken: boolean): void {
  inHand.value = taken;
  if (!taken) pointedAt.value = false;
}

export function pointAtStroke(at: boolean): void {
  pointedAt.value = at;
}

// The width that is being made [m], until the engine has told of it: the wheel may turn on before that.
let width: { stroke: string; reach: number; done: boolean; sent: number } | null = null;
let [later, shown, last] = [0, 0, 0];

effect(() => {
  const told = region.value;
  if (width?.done && told?.stroke === width.stroke && told.reach === width.reach) width = null;
});

/** The width of the chosen stroke [m], as it is or as it is being made; null while nobody knows. */
export function widthOfChosen(): number | null {
  const name = chosenStroke.value?.name;
  const isMade = width?.done && performance.now() - width.sent > LONGEST_WAIT;
  if (width && !isMade && width.stroke === name) return width.reach;
  return region.value?.stroke === name ? (region.value?.reach ?? null) : null;
}

/** Make the chosen stroke so wide [m]; a step of the document when it is `done`. */
export function setWidth(metres: number, done: boolean): void {
  const stroke = chosenStroke.value?.name;
  if (!stroke) return;
  const least = NARROWEST * size.value;
  const reached = Math.min(WIDEST * size.value, Math.max(least, metres));
  changing.value = true;
  clearTimeout(shown);
  shown = window.setTimeout(() => {
    changing.value = false;
  }, LINGERS);
  width = { stroke, reach: reached, done, sent: performance.now() };
  clearTimeout(last);
  const tell = () => ask({ do: "change-reach", stroke, reach: reached, done });
  if (!done) {
    // The newest is told at last, however fast they come.
    last = window.setTimeout(tell, SHORTEST_WAIT);
    return;
  }
  tell();
}

/** Turn the wheel over a stroke: farther skin follows it, or only nearer one. Without one, so will the next. */
export function turnWheel(event: WheelEvent): void {
  const pixels = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : 1);
  const by = Math.exp(-TURN * Math.max(-200, Math.min(200, pixels)));
  if (!chosenStroke.value) {
    reach.value = Math.min(WIDEST, Math.max(NARROWEST, reach.value * by));
    return;
  }
  const now = widthOfChosen();
  changing.value = true; // so that it is told how wide it is
  if (now === null) return;
  setWidth(now * by, false);
  clearTimeout(later);
  later = window.setTimeout(() => {
    if (width && !width.done) setWidth(width.reach, true);
  }, ONE_STEP);
}
