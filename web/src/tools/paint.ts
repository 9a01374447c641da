// Paint a map, or touch up a drawn shape: a pointer that goes down on the skin makes a stroke, answered at once.
import { effect, signal } from "@preact/signals";
import type { Refused, SkinPlace } from "../messages";
import type { Look } from "../scene/looks";
import { HandMark } from "../scene/marks";
import type { Stage } from "../scene/stage";
import { ask, radius, state, view } from "../session";
import { type Vector2, Vector3 } from "../three";
import { BrushOptions } from "../ui/brush";
import { action, fillValue, mirror, paintedMap, retouched, softness, strength } from "./brush";
import { movesOf, pixelOf, placeAt, type Tool } from "./tool";

const SPACING = 0.4; // of the radius between two places of a stroke, at most
const HALVINGS = 3; // of the way between two pointer events, to fill it
const MOST_PLACES = 64; // in one command

interface Stroke {
  pointer: number;
  mesh: number;
  at: Vector3;
  pixel: Vector2;
  waiting: SkinPlace[];
  commands: Set<number>;
}

export class PaintMap implements Tool {
  readonly id = "paint";
  readonly name = "Paint maps";
  readonly key = "U";
  readonly icon = "brush";
  readonly hint =
    "Press on the skin and paint where its flesh is loose, firm or fat; or touch up what was drawn.";
  private readonly mark: HandMark;
  private readonly chosen = signal(false);
  private before = ""; // the measure that was shown
  private stroke: Stroke | null = null;
  private pointer: Vector2 | null = null;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.mark = new HandMark(stage.scene, look);
    effect(() => {
      if (this.chosen.value) this.showMap();
    });
  }

  /** While it is chosen the skin shows the map as colours, and then what it showed before. */
  enter(): void {
    this.before = state.peek()?.shown.measure?.name ?? "";
    this.chosen.value = true;
  }

  private showMap(): void {
    const shown = state.value?.shown;
    if (retouched.value !== null) {
      if (shown?.measure?.name.startsWith("map:")) ask({ do: "show", measure: this.before });
      return;
    }
    const name = `map:${paintedMap.value?.name ?? ""}`;
    const offered = shown?.measures.some((measure) => measure.name === name) ?? false;
    if (offered && shown?.measure?.name !== name) ask({ do: "show", measure: name });
  }

  options = BrushOptions;

  wear(look: Look): void {
    this.mark.wear(look);
  }

  down(event: PointerEvent): boolean {
    const { skin } = this.stage;
    if (this.stroke) return true; // a second finger paints nothing and turns nothing
    const pixel = pixelOf(this.stage, event);
    const hit = this.hit(pixel);
    if (!skin || !hit || !action.value) return false;
    this.stroke = {
      pointer: event.pointerId,
      mesh: skin.number,
      at: hit.at,
      pixel,
      waiting: [hit.place],
      commands: new Set(),
    };
    return true;
  }

  move(event: PointerEvent): void {
    if (event.pointerId !== this.stroke?.pointer) return;
    for (const sample of movesOf(event)) this.goTo(pixelOf(this.stage, sample));
  }

  up(event: PointerEvent, cancelled: boolean): void {
    if (event.pointerId === this.stroke?.pointer) this.end(!cancelled);
  }

  hover(event: PointerEvent | null): void {
    this.pointer = event && pixelOf(this.stage, event);
  }

  update(): void {
    if (this.stroke && this.stroke.mesh !== this.stage.skin?.number) this.end(false);
    this.tell();
    this.updateMark();
  }

  refused({ seq }: Refused): void {
    if (this.stroke?.commands.has(seq)) this.end(false);
  }

  lost(): void {
    this.stroke = null;
  }

  leave(): void {
    this.chosen.value = false;
    if (state.peek()?.shown.measure?.name.startsWith("map:")) ask({ do: "show", measure: this.before });
    this.end(true);
    this.pointer = null;
    this.mark.hide();
    this.stage.canvas.classList.remove("on-skin", "painting");
  }

  private hit(pixel: Vector2): { place: SkinPlace; at: Vector3 } | null {
    const { skin } = this.stage;
    const place = placeAt(this.stage, pixel);
    if (!skin || !place) return null;
    const [at, normal] = [new Vector3(), new Vector3()];
    skin.surface(place, at, normal);
    const vertices = place.points.map((point) => skin.data.vertexOfPoint[point]!);
    return { place: { vertices, shares: place.shares.map((share) => Math.min(1, Math.max(0, share))) }, at };
  }

  /** On to a pixel; where that is far from the last place, those between are gone over too. */
  private goTo(pixel: Vector2): void {
    const stroke = this.stroke!;
    const hit = this.hit(pixel);
    const gone = hit ? hit.at.distanceTo(stroke.at) / (SPACING * radius.value) : 0;
    const steps = Math.min(2 ** HALVINGS, Math.ceil(gone));
    for (let step = 1; step < steps; step++) {
      const between = this.hit(stroke.pixel.clone().lerp(pixel, step / steps));
      if (between) stroke.waiting.push(between.place);
    }
    stroke.pixel = pixel;
    if (!hit) return;
    stroke.at = hit.at;
    stroke.waiting.push(hit.place);
  }

  private tell(): void {
    const [stroke, map, shape] = [this.stroke, paintedMap.value, retouched.value];
    if (!stroke || stroke.waiting.length === 0) return;
    const brush = {
      action: action.value,
      places: stroke.waiting.splice(0, MOST_PLACES),
      radius: radius.value,
      strength: strength.value,
      softness: softness.value,
      mirror: mirror.value,
    };
    let seq: number | null = null;
    if (shape !== null) seq = ask({ do: "retouch", shape, ...brush });
    else if (map) {
      const value = fillValue.value ?? map.high;
      seq = ask({ do: "paint", map: map.name, ...brush, value, view: view.value?.view ?? 0 });
    }
    if (seq !== null) stroke.commands.add(seq);
    if (stroke.waiting.length > 0) this.stage.redraw();
  }

  private end(keep: boolean): void {
    if (!this.stroke) return;
    while (keep && this.stroke.waiting.length > 0) this.tell();
    this.stroke = null;
    ask({ do: "paint-end", keep });
    this.stage.redraw();
  }

  private updateMark(): void {
    const { skin, canvas } = this.stage;
    const pixel = this.stroke?.pixel ?? this.pointer;
    const place = pixel && skin ? placeAt(this.stage, pixel) : null;
    canvas.classList.toggle("on-skin", place !== null);
    canvas.classList.toggle("painting", this.stroke !== null);
    if (!place || !skin) {
      this.mark.hide();
      return;
    }
    const [position, normal] = [new Vector3(), new Vector3()];
    skin.surface(place, position, normal);
    this.mark.show(position, normal, radius.value, null);
  }
}
