// Time a stroke's shape by hand: how far up a pointer is while it is pressed is how much of the shape there is then.
import { signal } from "@preact/signals";
import { ask, motionTime } from "../../session";
import type { Vector2 } from "../../three";

const MOST = 10_000;

/** The shape that the next press on the stage times. */
export const timed = signal<string | null>(null);

export class Gesture {
  private pointer: number | null = null;
  private start = { time: 0, clock: 0 }; // of the motion [s], of the machine [ms]
  private samples: [number, number, number][] = [];

  get going(): boolean {
    return this.pointer !== null;
  }

  down(event: PointerEvent, pixel: Vector2): boolean {
    if (timed.value === null) return false;
    this.pointer = event.pointerId;
    this.start = { time: motionTime.value, clock: performance.now() };
    this.samples = [];
    this.move(pixel);
    return true;
  }

  move(pixel: Vector2): void {
    if (this.samples.length < MOST)
      this.samples.push([(performance.now() - this.start.clock) / 1000, pixel.x, -pixel.y]);
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
