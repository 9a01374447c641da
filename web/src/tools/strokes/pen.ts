// What a pen draws: samples with the picture that was seen while they were drawn.
import type { Look, Stretch } from "../../messages";
import type { Stage } from "../../scene/stage";
import { Vector3 } from "../../three";
import { movesOf, pixelOf } from "../tool";

const HALF = 0.5; // how hard a finger or a mouse is taken to press that does not say

export type Sample = [x: number, y: number, pressure: number];

/** All that a pointer did since the last event. */
export function samplesOf(stage: Stage, event: PointerEvent): Sample[] {
  return movesOf(event).map((one) => {
    const { x, y } = pixelOf(stage, one);
    return [x, y, one.pressure > 0 ? Math.min(1, one.pressure) : HALF];
  });
}

/** A picture in whose middle the camera looks, and where in it the upper left corner of the pane is [px]. */
export interface Picture {
  look: Look;
  corner: readonly [x: number, y: number];
}

/** The frame that is seen, and from where; the camera may look beside the middle of the pane (`Viewer.resize`). */
export function pictureOf(stage: Stage): Picture | null {
  const frame = stage.skin?.frame;
  if (!frame) return null;
  const { camera } = stage.viewer;
  const { width, height } = stage.boxOf(stage.pane);
  const forward = camera.getWorldDirection(new Vector3());
  const [aside, down] = camera.view?.enabled ? [camera.view.offsetX, camera.view.offsetY] : [0, 0];
  const size: [number, number] = [
    Math.ceil(width + 2 * Math.abs(aside)),
    Math.ceil(height + 2 * Math.abs(down)),
  ];
  const look = {
    frame: frame.frame,
    position: camera.position.toArray(),
    target: camera.position.clone().add(forward).toArray(),
    up: new Vector3().setFromMatrixColumn(camera.matrixWorld, 1).toArray(),
    view_angle: 2 * Math.atan((Math.tan((camera.fov * Math.PI) / 360) * size[1]) / height),
    size,
  };
  return { look, corner: [(size[0] - width) / 2 + aside, (size[1] - height) / 2 + down] };
}

/** Collects samples by the pictures that they were drawn on, until they are sent. */
export class Stretches {
  private waiting: Stretch[] = [];

  /** Samples in pixels of the pane. */
  add({ look, corner }: Picture, samples: readonly Sample[]): void {
    const moved = samples.map(([x, y, pressure]): Sample => [x + corner[0], y + corner[1], pressure]);
    const last = this.waiting.at(-1);
    if (last && sameLook(last.look, look)) last.samples.push(...moved);
    else this.waiting.push({ look, samples: moved });
  }

  /** All that was not yet sent. */
  take(): Stretch[] {
    return this.waiting.splice(0);
  }
}

function sameLook(one: Look, other: Look): boolean {
  return (
    one.frame === other.frame &&
    one.size.every((value, axis) => value === other.size[axis]) &&
    one.position.every((value, axis) => value === other.position[axis]) &&
    one.target.every((value, axis) => value === other.target[axis])
  );
}
