// Time a stroke's shape by hand: how far up a pointer is while it is pressed is how much of the shape there is then.
import { signal } from "@preact/signals";
import type { Stage } from "../../scene/stage";
import { ask, motionTime } from "../../session";
import { movesOf, pixelOf } from "../tool";

const MOST = 10_000;

/** The shape that the next press on the stage times. */
export const timed = signal<string | null>(null);

export class Gesture {
  private pointer: number | null = null;
  private start = { time: 0, clock: 0 }; // of the motion [s], of the hand [ms]
  private samples: [number, number, number][] = [];

  get going(): boolean {
    return this.pointer !== null;
  }

  down(stage: Stage, event: PointerEvent): boolean {
    if (timed.value === null) return false;
    this.pointer = event.pointerId;
    this.start = { time: motionTime.value, clock: event.timeStamp };
    this.samples = [];
    this.move(stage, event);
    return true;
  }

  /** By the clock of the hand: pictures may come seldom. */
  move(stage: Stage, event: PointerEvent): void {
    for (const one of movesOf(event).slice(0, MOST - this.samples.length)) {
      const { x, y } = pixelOf(stage, one);
      this.samples.push([(one.timeStamp - this.start.clock) / 1000, x, -y]);
    }
  }

  up(cancelled: boolean): void {
    const use = timed.value;
    this.lost();
    if (!cancelled && use !== null && this.samples.length > 1)
      ask({ do: "time-by-gesture", use, time: this.start.time, samples: this.samples });
  }

  lost(): void {
    this.pointer = null;
    timed.value = null;
  }
}
