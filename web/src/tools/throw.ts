// Put things in the way: a press on the floor puts one in, a press on one takes it; let go, it flies as the hand went.
import { signal } from "@preact/signals";
import type { Refused } from "../messages";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { ask, state } from "../session";
import { Vector3 } from "../three";
import { ThingOptions } from "../ui/things";
import { movesOf, pixelOf, placeAt, rayThrough, type Tool } from "./tool";

export const thingKind = signal("ball");
export const thingSize = signal(0.2); // [m]
export const thingMass = signal(3); // [kg]
export const thingFree = signal(true);

const SHORTEST_WAIT = 15; // between two commands [ms]
const SPEED_OVER = 90; // of the way of the hand that makes the speed of a throw [ms]
const FASTEST = 6; // [m/s]: what is faster goes through flesh between two steps
const FARTHEST = 12; // behind what is looked at that a thing is put in, in sizes of the character

interface Held {
  pointer: number;
  name: string | null; // null until the engine has said what it is called
  known: readonly string[];
  at: Vector3;
  depth: number; // of the plane it moves on, along the view [m]
  trail: { at: Vector3; time: number }[];
  sent: number;
  seq: number | null;
  released: Vector3 | null; // how fast it goes since it was let go [m/s]
}

export class ThrowThings implements Tool {
  readonly id = "throw";
  readonly name = "Throw things";
  readonly key = "H";
  readonly icon = "ball";
  readonly hint = "Press on the floor to put something in; drag it and let go to throw it.";
  options = ThingOptions;
  private held: Held | null = null;

  constructor(private readonly stage: Stage) {}

  wear(_look: Look): void {}

  down(event: PointerEvent): boolean {
    if (this.held || !state.value?.things.met) return false;
    const pixel = pixelOf(this.stage, event);
    const direction = rayThrough(this.stage, pixel);
    const camera = this.stage.viewer.camera.position;
    const thing = this.stage.things.pick(camera, direction);
    if (thing) return this.hold(event, thing.name, thing.at);
    if (placeAt(this.stage, pixel)) return false;
    const at = this.onFloor(direction);
    if (!at) return false;
    const known = (state.value?.things.rows ?? []).map(({ name }) => name);
    const seq = ask({
      do: "add-thing",
      kind: thingKind.value,
      at: at.toArray(),
      size: thingSize.value,
      mass: thingFree.value ? thingMass.value : null,
    });
    return this.hold(event, null, at, { known, seq });
  }

  move(event: PointerEvent): void {
    const held = this.held;
    if (event.pointerId !== held?.pointer) return;
    for (const one of movesOf(event)) {
      held.at = this.under(one, held);
      held.trail.push({ at: held.at.clone(), time: one.timeStamp });
    }
    while (held.trail.length > 2 && event.timeStamp - held.trail[0]!.time > SPEED_OVER) held.trail.shift();
  }

  up(event: PointerEvent): void {
    // By the clock of the hand: pictures may come seldom.
    if (event.pointerId === this.held?.pointer) this.held.released = speed(this.held, event.timeStamp);
    this.stage.redraw();
  }

  hover(): void {}

  update(): void {
    const held = this.held;
    if (!held) return;
    held.name ??=
      (state.value?.things.rows ?? []).find(({ name }) => !held.known.includes(name))?.name ?? null;
    this.stage.redraw();
    if (held.name === null) return;
    if (held.released) {
      const velocity = held.released.toArray();
      if (held.trail.length > 1 || held.sent > 0)
        ask({ do: "move-thing", name: held.name, at: held.at.toArray(), velocity });
      this.held = null;
    } else if (held.trail.length > 1 && performance.now() - held.sent > SHORTEST_WAIT) {
      held.sent = performance.now();
      ask({ do: "move-thing", name: held.name, at: held.at.toArray() });
    }
  }

  hear(key: string): boolean {
    if (key !== "Delete" && key !== "Backspace") return false;
    const last = state.value?.things.rows.at(-1);
    if (last) ask({ do: "remove-thing", name: last.name });
    return last !== undefined;
  }

  refused({ seq }: Refused): void {
    if (this.held?.seq === seq) this.held = null;
  }

  lost(): void {
    this.held = null;
  }

  leave(): void {
    if (this.held) this.held.released ??= new Vector3();
    this.update();
    this.held = null;
  }

  private hold(
    event: PointerEvent,
    name: string | null,
    at: Vector3,
    asked: { known: readonly string[]; seq: number | null } = { known: [], seq: null },
  ): boolean {
    const { camera } = this.stage.viewer;
    const depth = at.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector3()));
    const trail = [{ at: at.clone(), time: event.timeStamp }];
    this.held = { pointer: event.pointerId, name, at, depth, trail, sent: 0, released: null, ...asked };
    return true;
  }

  /** Where the pointer is on the plane that the thing moves on, and not under the floor. */
  private under(event: PointerEvent, { depth }: Held): Vector3 {
    const { camera } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixelOf(this.stage, event));
    const along = depth / direction.dot(camera.getWorldDirection(new Vector3()));
    const at = camera.position.clone().addScaledVector(direction, along);
    at.y = Math.max(at.y, thingSize.value / 2);
    return at;
  }

  private onFloor(direction: Vector3): Vector3 | null {
    const { camera, distance } = this.stage.viewer;
    const height = thingSize.value / 2;
    const along = (height - camera.position.y) / direction.y;
    const farthest = FARTHEST * (state.value?.mesh.size || 1.8);
    if (!(along > 0 && along - distance < farthest)) return null;
    return camera.position.clone().addScaledVector(direction, along);
  }
}

/** How fast the hand went before some time [m/s]; one that stood still for a moment throws nothing. */
function speed({ trail }: Held, now: number): Vector3 {
  const [first, last] = [trail[0]!, trail.at(-1)!];
  const seconds = (now - first.time) / 1000;
  const way = last.at.clone().sub(first.at);
  if (seconds < 0.005 || now - last.time > SPEED_OVER) return new Vector3();
  return way.divideScalar(seconds).clampLength(0, FASTEST);
}
