// Raise the skin: a line drawn on it becomes a bulge, whose knots can be dragged afterwards.
import { effect } from "@preact/signals";
import type { Refused } from "../../messages";
import type { Look } from "../../scene/looks";
import type { Place } from "../../scene/skin";
import type { Stage } from "../../scene/stage";
import { ask, state } from "../../session";
import { Vector2, Vector3 } from "../../three";
import { pixelOf, placeAt, type Tool } from "../tool";
import { Gesture } from "./gesture";
import { Ink } from "./ink";
import { Knots } from "./knots";
import { RaiseOptions } from "./options";
import { pictureOf, type Sample, Stretches, samplesOf } from "./pen";
import { pointAtStroke, region, takeRegionInHand, turnWheel } from "./region";
import { chooseStroke, deleteChosen, force, forced, height, method, profile, reach, size } from "./settings";

const SENT_EVERY = 60; // [ms]
const APART = 2; // places of the ink that stick to the skin, at least [px]
const MOST_PICKED = 120_000; // triangles; through more, ink is laid on the picture

interface Line {
  name: string;
  pointer: number;
  mesh: number;
  stretches: Stretches;
  places: { place: Place | null; pixel: Vector2; pressure: number }[];
  sent: number; // when [ms]
  asked: number | null; // the number of the command that raises it
}

let lines = 0;

export class RaiseSkin implements Tool {
  readonly id = "raise";
  readonly name = "Raise by a stroke";
  readonly key = "R";
  readonly icon = "bulge";
  readonly hint =
    "Draw on the skin: it swells under the line. Drag its knots or all of it; the wheel over it changes its width.";
  private readonly ink: Ink;
  private readonly knots: Knots;
  private readonly gesture = new Gesture();
  private line: Line | null = null;
  private pointer: { pixel: Vector2; type: string } | null = null;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.ink = new Ink(stage, look);
    this.knots = new Knots(stage, this.ink);
    effect(() => {
      const { held, following, staying } = region.value ?? { held: [], following: [], staying: [] };
      stage.colourRegion([held, following, staying]);
    });
  }

  options = RaiseOptions;

  wear(look: Look): void {
    this.ink.wear(look);
  }

  enter(): void {
    addEventListener("keydown", deleteChosen);
    takeRegionInHand(true);
    this.stage.redraw();
  }

  leave(): void {
    removeEventListener("keydown", deleteChosen);
    takeRegionInHand(false);
    this.lost();
    this.pointer = null;
    this.ink.clear();
    this.stage.canvas.classList.remove("on-skin", "holding", "drawing");
  }

  down(event: PointerEvent): boolean {
    const { skin } = this.stage;
    if ((this.line && this.line.asked === null) || this.knots.dragging) return true; // one pen at a time
    const pixel = pixelOf(this.stage, event);
    if (this.gesture.going || this.gesture.down(this.stage, event)) return true;
    if (this.knots.down(event, pixel)) return true;
    if (!skin || !placeAt(this.stage, pixel)) return false;
    this.line = {
      name: `${Date.now().toString(36)} ${++lines}`,
      pointer: event.pointerId,
      mesh: skin.number,
      stretches: new Stretches(),
      places: [],
      sent: performance.now(),
      asked: null,
    };
    this.draw(samplesOf(this.stage, event));
    return true;
  }

  move(event: PointerEvent): void {
    if (this.gesture.going) this.gesture.move(this.stage, event);
    else if (this.knots.dragging) this.knots.move(pixelOf(this.stage, event));
    else if (event.pointerId === this.line?.pointer && this.line.asked === null)
      this.draw(samplesOf(this.stage, event));
  }

  up(event: PointerEvent, cancelled: boolean): void {
    if (this.gesture.going) this.gesture.up(cancelled);
    else if (this.knots.dragging) this.knots.up(cancelled);
    else if (event.pointerId === this.line?.pointer && this.line.asked === null) this.end(cancelled);
  }

  hover(event: PointerEvent | null): void {
    this.pointer = event && { pixel: pixelOf(this.stage, event), type: event.pointerType };
  }

  /** Over the chosen stroke, or anywhere with Shift. */
  wheel(event: WheelEvent): boolean {
    const on = this.pointer && this.knots.at(this.pointer.pixel, this.pointer.type);
    if (!on && !event.shiftKey) return false;
    turnWheel(event);
    return true;
  }

  update(): void {
    const { line } = this;
    const { skin } = this.stage;
    this.ink.clear();
    this.knots.update();
    if (line && (line.mesh !== skin?.number || (line.asked ?? Infinity) <= (skin?.frame?.lastCommand ?? 0)))
      this.line = null;
    else if (line) {
      if (line.asked === null && performance.now() - line.sent > SENT_EVERY) this.send(line);
      this.ink.line(
        line.places.map(({ place, pixel }) => this.seen(place, pixel)),
        line.places.map(({ pressure }) => pressure),
      );
    }
    this.updateCursor();
  }

  refused({ seq }: Refused): void {
    if (this.knots.refused(seq) || seq === this.line?.asked) this.line = null;
    this.stage.redraw();
  }

  lost(): void {
    if (this.line && this.line.asked === null) ask({ do: "drop-line", line: this.line.name });
    this.line = null;
    this.knots.lost();
    this.gesture.lost();
  }

  private draw(samples: readonly Sample[]): void {
    const [line, picture] = [this.line!, pictureOf(this.stage)];
    if (!picture) return;
    line.stretches.add(picture, samples);
    for (const [x, y, pressure] of samples) {
      const pixel = new Vector2(x, y);
      const last = line.places.at(-1);
      if (last && last.pixel.distanceTo(pixel) < APART) continue;
      line.places.push({ place: this.stick(pixel), pixel, pressure });
    }
  }

  private stick(pixel: Vector2): Place | null {
    const triangles = (this.stage.skin?.data.triangles.length ?? 0) / 3;
    return triangles <= MOST_PICKED ? placeAt(this.stage, pixel) : null;
  }

  private seen(place: Place | null, pixel: Vector2): Vector2 {
    if (!place || !this.stage.skin) return pixel;
    const position = new Vector3();
    this.stage.skin.surface(place, position, new Vector3());
    return this.ink.pixel(position);
  }

  private send(line: Line): void {
    line.sent = performance.now();
    const stretches = line.stretches.take();
    if (stretches.length > 0) ask({ do: "draw", line: line.name, stretches, view: this.stage.pane.number });
  }

  private end(cancelled: boolean): void {
    const line = this.line!;
    if (cancelled) {
      this.lost();
      return;
    }
    this.send(line);
    chooseStroke(null);
    line.asked = ask({
      do: "raise",
      line: line.name,
      height: height.value * size.value,
      reach: reach.value * size.value,
      profile: profile.value,
      method: method.value,
      force: forced.value && state.value?.edits.firm ? force.value : null,
      view: this.stage.pane.number,
    });
    if (line.asked === null) this.line = null;
  }

  private updateCursor(): void {
    const { canvas } = this.stage;
    const knot = this.pointer && this.knots.at(this.pointer.pixel, this.pointer.type);
    pointAtStroke(Boolean(knot) || this.knots.dragging);
    const on = this.pointer && !knot && placeAt(this.stage, this.pointer.pixel) !== null;
    canvas.classList.toggle("on-skin", Boolean(knot) && !this.knots.dragging);
    canvas.classList.toggle("holding", this.knots.dragging);
    canvas.classList.toggle("drawing", Boolean(on) || this.line?.asked === null);
  }
}
