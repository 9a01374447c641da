// Three meters that tell apart what is slow: the engine, the way here, or the picture.
import { signal } from "@preact/signals";

export const engineMilliseconds = signal(0); // of all views together
export const viewMilliseconds = signal<readonly number[]>([]); // of each
export const framesArriving = signal(0); // [1/s]
export const picturesDrawn = signal(0); // [1/s]
export const silent = signal(false); // no frame has come for a while, though one could

const PERIOD = 500; // [ms]
const SILENCE = 3000; // [ms]
let arrived = 0;
let drawn = 0;
let views: { count: number; milliseconds: number }[] = [];
let since = performance.now();
let lastSign = performance.now();

export function countArrived(view: number, engineMicroseconds: number): void {
  if (view === 0) arrived++;
  views[view] ??= { count: 0, milliseconds: 0 };
  views[view].count++;
  views[view].milliseconds += engineMicroseconds / 1000;
}

/** The engine was found, and has not had the time to send anything. */
export function beginAgain(): void {
  lastSign = performance.now();
  silent.value = false;
}

export function countDrawn(): void {
  drawn++;
}

setInterval(() => {
  const now = performance.now();
  const seconds = (now - since) / 1000;
  framesArriving.value = arrived / seconds;
  picturesDrawn.value = drawn / seconds;
  if (arrived > 0) {
    viewMilliseconds.value = Array.from(views, (view) => (view ? view.milliseconds / view.count : 0));
    engineMilliseconds.value = viewMilliseconds.value.reduce((sum, one) => sum + one, 0);
  }
  if (arrived > 0 || document.hidden) lastSign = now;
  silent.value = now - lastSign > SILENCE;
  arrived = 0;
  drawn = 0;
  views = [];
  since = now;
}, PERIOD);
