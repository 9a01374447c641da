// Go along a line: one drawn on the floor, which the character then follows.
import { signal } from "@preact/signals";
import { DrawnLine } from "../scene/drawn_line";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { ask, state } from "../session";
import type { Vector2, Vector3 } from "../three";
import { movesOf, pixelOf, rayThrough, type Tool } from "./tool";

const MOST = 2000; // places of a line
const APART = 4; // [px]
const FARTHEST = 30; // behind what is looked at, in sizes of the character
const asDrawn = signal(false);

interface Sample {
  at: Vector3;
  pixel: Vector2;
  time: number; // [s]
}

export class TravelTool implements Tool {
  readonly id = "travel";
  readonly name = "Go along a line";
  readonly key = "A";
  readonly icon = "path";
  readonly hint = "Draw a line on the floor: the character goes along it.";
  private readonly line: DrawnLine;
  private samples: Sample[] = [];

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.line = new DrawnLine(stage.scene, look, MOST);
  }

  wear(look: Look): void {
    this.line.wear(look);
  }

  down(event: PointerEvent): boolean {
    this.samples = [];
    return this.add(event);
  }

  move(event: PointerEvent): void {
    for (const one of movesOf(event)) this.add(one);
    this.stage.redraw();
  }

  up(_: PointerEvent, cancelled: boolean): void {
    const { samples } = this;
    this.lost();
    if (cancelled || samples.length < 2) return;
    ask({
      do: "travel-along",
      samples: samples.map(({ at, time }) => [time - samples[0]!.time, at.x, at.z]),
      as_drawn: asDrawn.value,
    });
    ask({ do: "seek", time: 0 });
    ask({ do: "play" });
  }

  hover(): void {}

  lost(): void {
    this.samples = [];
    this.line.hide();
    this.stage.redraw();
  }

  leave(): void {
    this.lost();
  }

  update(): void {
    this.line.show(this.samples.map(({ at }) => at));
  }

  options() {
    return (
      <label class="check" title="As fast as the hand was; else at the pace of the motion">
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={asDrawn.value}
          checked={asDrawn.value}
          onChange={(event) => {
            asDrawn.value = event.currentTarget.checked;
          }}
        />
        <span>As fast as it is drawn</span>
      </label>
    );
  }

  private add(event: PointerEvent): boolean {
    const pixel = pixelOf(this.stage, event);
    const last = this.samples.at(-1);
    if (this.samples.length >= MOST || (last && last.pixel.distanceTo(pixel) < APART)) return false;
    const at = this.onFloor(pixel);
    if (!at) return false;
    this.samples.push({ at, pixel, time: event.timeStamp / 1000 });
    return true;
  }

  private onFloor(pixel: Vector2): Vector3 | null {
    const { camera, distance } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixel);
    const along = -camera.position.y / direction.y;
    if (!(along > 0 && along - distance < FARTHEST * (state.value?.mesh.size || 1.8))) return null;
    return camera.position.clone().addScaledVector(direction, along);
  }
}
