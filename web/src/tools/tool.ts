// What every tool is: it hears the pointers that go down on the stage while it is chosen, and draws its own marks.
import type { ComponentChildren } from "preact";
import type { Refused } from "../messages";
import type { Look } from "../scene/looks";
import type { Pane } from "../scene/pane";
import type { Place } from "../scene/skin";
import type { Stage } from "../scene/stage";
import { Vector2, Vector3 } from "../three";
import type { IconName } from "../ui/icons";

export type ToolId =
  | "drag"
  | "paint"
  | "pose"
  | "radial"
  | "raise"
  | "throw"
  | "planes"
  | "wave"
  | "outline"
  | "stroke-pose"
  | "travel"
  | "limp";

export interface Tool {
  readonly id: ToolId;
  readonly name: string; // as the toolbar and the palette say it
  readonly key: string; // that chooses it
  readonly icon: IconName;
  readonly hint: string; // what to do with it, in one sentence

  /** Whether there is anything for it to do; without this there always is. */
  offered?(): boolean;
  /** A pointer goes down: true takes it until it goes up, false leaves it to the camera. */
  down(event: PointerEvent): boolean;
  /** A pointer that it has taken moves. */
  move(event: PointerEvent): void;
  /** A pointer that it has taken goes up, or is lost (`cancelled`). */
  up(event: PointerEvent, cancelled: boolean): void;
  /** A pointer that nobody has taken moves over the stage, or leaves it (null). */
  hover(event: PointerEvent | null): void;

  /** Chosen, and no longer chosen: marks appear and go. */
  enter?(): void;
  leave?(): void;
  /** Before every picture. */
  update?(): void;
  /** The wheel turns over the stage: true takes it, false leaves it to the camera. */
  wheel?(event: WheelEvent): boolean;
  /** A key was pressed: true takes it, so that it does nothing else. */
  hear?(key: string): boolean;
  /** Dark or light. */
  wear?(look: Look): void;
  /** A command of this number was refused. */
  refused?(refused: Refused): void;
  /** The engine is out of reach: let go of everything. */
  lost?(): void;
  /** Its own rows in the panel. */
  options?(): ComponentChildren;
}

/** Where a pointer is in a pane, the one that tools work in if none is named; CSS pixels from its upper left corner. */
export function pixelOf(stage: Stage, event: PointerEvent, pane: Pane = stage.pane): Vector2 {
  const canvas = stage.canvas.getBoundingClientRect();
  const { left, top } = stage.boxOf(pane);
  return new Vector2(event.clientX - canvas.left - left, event.clientY - canvas.top - top);
}

/** All that a pointer did since the event before this one, each with the time at which the hand did it. */
export function movesOf(event: PointerEvent): readonly PointerEvent[] {
  const all = event.getCoalescedEvents?.() ?? []; // none over plain http, and of what a program sends
  return all.length > 0 ? all : [event];
}

/** The direction of the view through a pixel of a pane, a unit vector. */
export function rayThrough(stage: Stage, pixel: Vector2): Vector3 {
  const { width, height } = stage.boxOf(stage.pane);
  const { camera } = stage.viewer;
  return new Vector3((2 * pixel.x) / width - 1, 1 - (2 * pixel.y) / height, 0.5)
    .unproject(camera)
    .sub(camera.position)
    .normalize();
}

/** The place of the skin under a pixel. */
export function placeAt(stage: Stage, pixel: Vector2): Place | null {
  return stage.pick(rayThrough(stage, pixel));
}
