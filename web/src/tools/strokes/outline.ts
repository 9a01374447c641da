// Redraw the outline: it is shown, and a line drawn beside it is where it goes. Time stands while it is drawn.
import type { Refused } from "../../messages";
import type { Look } from "../../scene/looks";
import { Outline } from "../../scene/outline";
import type { Stage } from "../../scene/stage";
import { ask, state } from "../../session";
import { Vector2, Vector3 } from "../../three";
import { pixelOf, placeAt, type Tool } from "../tool";
import { Ink } from "./ink";
import { Knots } from "./knots";
import { OutlineOptions } from "./options";
import { pictureOf, samplesOf } from "./pen";
import { chooseStroke, creases, deleteChosen, method, otherWay, reach, size } from "./settings";

const NEAR = 48; // to the outline, where a line may begin [px]
const WAYS = 8; // in which it is looked for
const STEP_BEHIND = 0.04; // of the skin behind an edge, in sizes of the character
const MOST_SAMPLES = 10_000;
const MOST_MOVING = 120_000; // triangles; of more the outline is shown only while the picture rests

interface Line {
  pointer: number;
  pixels: Vector2[];
  resume: boolean; // the motion when it is drawn
  asked: number | null;
}

export class RedrawOutline implements Tool {
  readonly id = "outline";
  readonly name = "Redraw the outline";
  readonly key = "O";
  readonly icon = "outline";
  readonly hint = "Draw a line beside the outline that lights up: the skin goes to it.";
  private readonly ink: Ink;
  private readonly knots: Knots;
  private readonly outline: Outline;
  private line: Line | null = null;
  private pointer: { pixel: Vector2; type: string } | null = null;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.ink = new Ink(stage, look);
    this.knots = new Knots(stage, this.ink);
    this.outline = new Outline(look);
  }

  options = OutlineOptions;

  wear(look: Look): void {
    this.ink.wear(look);
    this.outline.wear(look);
  }

  enter(): void {
    addEventListener("keydown", deleteChosen);
    this.stage.redraw();
  }

  leave(): void {
    removeEventListener("keydown", deleteChosen);
    this.lost();
    this.pointer = null;
    this.ink.clear();
    this.outline.hide();
    this.stage.canvas.classList.remove("on-skin", "holding", "drawing");
  }

  down(event: PointerEvent): boolean {
    if ((this.line && this.line.asked === null) || this.knots.dragging) return true;
    const pixel = pixelOf(this.stage, event);
    if (this.knots.down(event, pixel)) return true;
    if (!this.nearOutline(pixel)) return false;
    const playing = state.value?.transport.playing ?? false;
    if (playing) ask({ do: "pause" });
    this.line = { pointer: event.pointerId, pixels: [pixel], resume: playing, asked: null };
    return true;
  }

  move(event: PointerEvent): void {
    if (this.knots.dragging) this.knots.move(pixelOf(this.stage, event));
    else if (event.pointerId === this.line?.pointer && this.line.asked === null)
      for (const [x, y] of samplesOf(this.stage, event)) {
        const pixel = new Vector2(x, y);
        const { pixels } = this.line;
        if (pixels.length < MOST_SAMPLES && pixels.at(-1)!.distanceTo(pixel) > 0.5) pixels.push(pixel);
      }
  }

  up(event: PointerEvent, cancelled: boolean): void {
    if (this.knots.dragging) this.knots.up(cancelled);
    else if (event.pointerId === this.line?.pointer && this.line.asked === null) this.end(cancelled);
  }

  hover(event: PointerEvent | null): void {
    this.pointer = event && { pixel: pixelOf(this.stage, event), type: event.pointerType };
  }

  update(): void {
    const { skin, pane, viewer } = this.stage;
    const { line } = this;
    this.ink.clear();
    this.knots.update();
    if (line && (line.asked ?? Infinity) <= (skin?.frame?.lastCommand ?? 0)) this.line = null;
    else if (line)
      this.ink.line(
        line.pixels,
        line.pixels.map(() => 0.3),
      );
    const light = (skin?.data.triangles.length ?? 0) / 3 <= MOST_MOVING;
    if (skin && (light || !state.value?.transport.playing))
      this.outline.show(skin, pane.group, viewer.camera.position);
    else this.outline.hide();
    const knot = this.pointer && this.knots.at(this.pointer.pixel, this.pointer.type);
    this.stage.canvas.classList.toggle("on-skin", Boolean(knot) && !this.knots.dragging);
    this.stage.canvas.classList.toggle("holding", this.knots.dragging);
    this.stage.canvas.classList.toggle("drawing", !knot && !this.knots.dragging);
  }

  refused({ seq }: Refused): void {
    if (this.knots.refused(seq) || seq === this.line?.asked) this.line = null;
    this.stage.redraw();
  }

  lost(): void {
    if (this.line?.resume && this.line.asked === null) ask({ do: "play" });
    this.line = null;
    this.knots.lost();
  }

  private end(cancelled: boolean): void {
    const line = this.line!;
    const picture = pictureOf(this.stage);
    if (cancelled || !picture || line.pixels.length < 2) {
      this.lost();
      return;
    }
    chooseStroke(null);
    line.asked = ask({
      do: "redraw-outline",
      look: picture.look,
      pixels: line.pixels.map(({ x, y }): [number, number] => [x + picture.corner[0], y + picture.corner[1]]),
      reach: reach.value * size.value,
      method: method.value,
      creases: creases.value,
      other_way: otherWay.value,
      view: this.stage.pane.number,
    });
    if (line.resume) ask({ do: "play" });
    if (line.asked === null) this.line = null;
  }

  /** Whether skin ends near a pixel: in some way from it there is skin, and in another none, or much farther away. */
  private nearOutline(pixel: Vector2): boolean {
    const depths = [pixel, ...around(pixel)].map((one) => this.depth(one));
    return Math.max(...depths) - Math.min(...depths) > STEP_BEHIND * size.value;
  }

  private depth(pixel: Vector2): number {
    const place = placeAt(this.stage, pixel);
    if (!place) return 1e9;
    const position = new Vector3();
    this.stage.skin!.surface(place, position, new Vector3());
    return position.distanceTo(this.stage.viewer.camera.position);
  }
}

function around({ x, y }: Vector2): Vector2[] {
  return Array.from({ length: WAYS }, (_, way) => {
    const angle = (2 * Math.PI * way) / WAYS;
    return new Vector2(x + NEAR * Math.cos(angle), y + NEAR * Math.sin(angle));
  });
}
