// What has to come with every frame besides the skin, because something here needs it.
import { effect, signal } from "@preact/signals";
import type { ColoursFrame, LinesFrame } from "./frames";
import { ask, curvesShown, link, state } from "./session";

/** The values that the ends of the colours stand for. */
export const range = signal<readonly [low: number, high: number]>([0, 1]);

export function takeRange({ low, high }: ColoursFrame): void {
  if (range.peek()[0] !== low || range.peek()[1] !== high) range.value = [low, high];
}

/** What the longest arrow stands for. */
export const longestArrow = signal(0);

export function takeLongest({ longest }: LinesFrame): void {
  if (longestArrow.peek() !== longest) longestArrow.value = longest;
}

const joints = signal<ReadonlySet<string>>(new Set());

/** Say that something, by its name, needs to know where the joints are, or no longer does. */
export function needJoints(who: string, needs: boolean): void {
  if (joints.peek().has(who) === needs) return;
  const others = [...joints.peek()].filter((one) => one !== who);
  joints.value = new Set(needs ? [...others, who] : others);
}

// Another window may have said that nobody needs them, and an engine that was started anew knows of nothing.
effect(() => {
  const wanted = joints.value.size > 0;
  if (wanted && link.value.open && state.value && !state.value.shown.joints)
    ask({ do: "show", joints: true });
});
effect(() => {
  if (joints.value.size === 0 && state.peek()?.shown.joints) ask({ do: "show", joints: false });
});
effect(() => {
  const wanted = curvesShown.value;
  if (!link.value.open || !state.value) return;
  if (wanted && !state.value.shown.curves) ask({ do: "show", curves: true });
});
effect(() => {
  if (!curvesShown.value && state.peek()?.shown.curves) ask({ do: "show", curves: false });
});
