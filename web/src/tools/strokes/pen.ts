// What a pen draws: samples with the picture that was seen while they were drawn.
import type { Look, Stretch } from "../../messages";
import type { Stage } from "../../scene/stage";
import { Vector3 } from "../../three";
import { pixelOf } from "../tool";

const HALF = 0.5; // how hard a finger or a mouse is taken to press that does not say

export type Sample = [x: number, y: number, pressure: number];

/** All that a pointer did since the last event. */
export function samplesOf(stage: Stage, event: PointerEvent): Sample[] {
  const all = event.getCoalescedEvents?.() ?? [];
  return (all.length > 0 ? all : [event]).map((one) => {
    const { x, y } = pixelOf(stage, one);
    return [x, y, one.pressure > 0 ? Math.min(1, one.pressure) : HALF];
  });
}

/** The frame that is seen, and from where. */
export function lookOf(stage: Stage): Look | null {
  const frame = stage.skin?.frame;
  if (!frame) return null;
  const { camera } = stage.viewer;
  const { width, height } = stage.boxOf(stage.pane);
  const forward = camera.getWorldDirection(new Vector3());
  return {
    frame: frame.frame,
    position: camera.position.toArray(),
    target: camera.position.clone().add(forward).toArray(),
    up: new Vector3().setFromMatrixColumn(camera.matrixWorld, 1).toArray(),
    view_angle: (camera.fov * Math.PI) / 180,
    size: [Math.round(width), Math.round(height)],
  };
}

/** Collects samples by the pictures that they were drawn on, until they are sent. */
export class Stretches {
  private waiting: Stretch[] = [];

  add(look: Look, samples: readonly Sample[]): void {
    const last = this.waiting.at(-1);
    if (last && sameLook(last.look, look)) last.samples.push(...samples);
    else this.waiting.push({ look, samples: [...samples] });
  }

  /** All that was not yet sent. */
  take(): Stretch[] {
    return this.waiting.splice(0);
  }
}

function sameLook(one: Look, other: Look): boolean {
  return (
    one.frame === other.frame &&
    one.position.every((value, axis) => value === other.position[axis]) &&
    one.target.every((value, axis) => value === other.target[axis])
  );
}
