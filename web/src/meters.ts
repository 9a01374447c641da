// Three meters that tell apart what is slow: the engine, the way here, or the picture.
import { signal } from "@preact/signals";

export const engineMilliseconds = signal(0);
export const framesArriving = signal(0); // [1/s]
export const picturesDrawn = signal(0); // [1/s]
export const silent = signal(false); // no frame has come for a while, though one could

const PERIOD = 500; // [ms]
const SILENCE = 3000; // [ms]
let arrived = 0;
let drawn = 0;
let engineSum = 0;
let since = performance.now();
let lastSign = performance.now();

export function countArrived(engineMicroseconds: number): void {
  arrived++;
  engineSum += engineMicroseconds / 1000;
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
  if (arrived > 0) engineMilliseconds.value = engineSum / arrived;
  if (arrived > 0 || document.hidden) lastSign = now;
  silent.value = now - lastSign > SILENCE;
  arrived = 0;
  drawn = 0;
  engineSum = 0;
  since = now;
}, PERIOD);
