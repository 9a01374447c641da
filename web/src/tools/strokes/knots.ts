// Knots of the strokes on the skin: shown as handles that go along with it, and dragged; or the whole line between them.
import type { StrokeInfo } from "../../messages";
import type { Place } from "../../scene/skin";
import type { Stage } from "../../scene/stage";
import { ask, showTold } from "../../session";
import { Vector2, Vector3 } from "../../three";
import { placeAt, rayThrough } from "../tool";
import type { Ink } from "./ink";
import { chooseStroke, chosenKnot, chosenStroke, insertAfter, isHidden, size, strokes } from "./settings";

const KNOT = 5; // radius of a chosen stroke's knot [px]
const STEM = 34; // length of the handle that changes the height [px]
const GRIP = 24; // from the line to the handle that moves all of it [px]
const DOWN = 0.3; // of a normal, as it is seen, that points out below a line
const NEAR_LINE = 0.6; // of what is near to a knot
const NEAR = { mouse: 9, pen: 11, touch: 20 } as Record<string, number>; // [px]
const SHORTEST_WAIT = 15; // between two commands [ms]
const FARTHEST = 0.3; // that a knot is pulled, in sizes of the character

interface Shown {
  stroke: StrokeInfo;
  knot: number; // -1 is the handle of the height
  pixel: Vector2;
  whole?: boolean; // the line is meant, of which this knot is the nearest
  up?: Vector2; // on the screen, the way in which a handle of the height points
}

interface Drag {
  pointer: number;
  stroke: StrokeInfo;
  knot: number;
  whole: boolean;
  mesh: number;
  pixel: Vector2;
  grip: Vector2; // from the pointer to the knot when it was taken
  start: Vector2;
  up: Vector2; // on the screen, the way in which height grows
  perPixel: number; // [m]
  by: Vector3;
  height: number;
  sent: { seq: number; by: Vector3 }[];
  time: number;
  moved: boolean;
}

export class Knots {
  private shown: Shown[] = [];
  private readonly covered = new Set<string>(); // knots that other skin stands before
  private looked = 0;
  private drag: Drag | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly ink: Ink,
  ) {}

  get dragging(): boolean {
    return this.drag !== null;
  }

  /** The knot under a pixel, the chosen stroke's first. */
  at(pixel: Vector2, pointerType: string): Shown | null {
    const near = NEAR[pointerType] ?? 9;
    let best: Shown | null = null;
    let least = near;
    for (const one of this.shown) {
      const away =
        one.pixel.distanceTo(pixel) - (one.stroke.name === chosenStroke.value?.name ? 0.4 * near : 0);
      if (away < least) [best, least] = [one, away];
    }
    return best ?? this.line(pixel, NEAR_LINE * near);
  }

  /** The chosen stroke as a whole, if a pixel lies on its line; with the nearest knot that is seen. */
  private line(pixel: Vector2, near: number): Shown | null {
    const own = this.shown.filter(
      ({ stroke, knot, whole }) => stroke === chosenStroke.value && knot >= 0 && !whole,
    );
    const on = own.some((one, i) => {
      const next = own[i + 1];
      return next?.knot === one.knot + 1 && distanceToPiece(pixel, one.pixel, next.pixel) < near;
    });
    if (!on) return null;
    const away = own.map((one) => one.pixel.distanceTo(pixel));
    return { ...own[away.indexOf(Math.min(...away))]!, whole: true };
  }

  down(event: PointerEvent, pixel: Vector2): boolean {
    const found = this.at(pixel, event.pointerType);
    const skin = this.stage.skin;
    if (!found || !skin || this.drag) return false;
    const { stroke, knot, whole = false, up = new Vector2(0, -1) } = found;
    chooseStroke(stroke.name, knot < 0 || whole ? null : knot);
    const [position] = this.surface(placeOf(this.stage, stroke, knot < 0 ? middleOf(stroke) : knot)!);
    this.drag = {
      pointer: event.pointerId,
      stroke,
      knot,
      whole,
      mesh: skin.number,
      pixel,
      grip: this.ink.pixel(position).sub(pixel),
      start: pixel,
      up,
      perPixel: metresPerPixel(this.stage, position),
      by: new Vector3(),
      height: stroke.height,
      sent: [],
      time: 0,
      moved: false,
    };
    return true;
  }

  move(pixel: Vector2): void {
    if (!this.drag) return;
    this.drag.moved ||= pixel.distanceTo(this.drag.start) > 2;
    this.drag.pixel = pixel;
  }

  up(cancelled: boolean): void {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.sent.length === 0) return;
    if (cancelled) [drag.by, drag.height] = [new Vector3(), drag.stroke.height];
    this.say(drag, !cancelled);
  }

  refused(seq: number): boolean {
    if (!this.drag?.sent.some((one) => one.seq === seq)) return false;
    this.drag = null;
    return true;
  }

  lost(): void {
    this.drag = null;
  }

  /** Before every picture: the knots where they are now, and the one that is dragged under its pointer. */
  update(): void {
    const { skin } = this.stage;
    this.shown = [];
    if (!skin?.frame) return;
    if (this.drag && this.drag.mesh !== skin.number) this.drag = null;
    const visible = strokes.value.filter((stroke) => !isHidden(stroke));
    this.lookAgain(visible);
    for (const stroke of visible) this.show(stroke);
    if (insertAfter.value !== null) this.insert(insertAfter.value);
    if (this.drag?.moved) this.carry(this.drag);
  }

  private show(stroke: StrokeInfo): void {
    const chosen = stroke.name === chosenStroke.value?.name;
    const eye = this.stage.viewer.camera.position;
    const pixels: Vector2[] = [];
    const facing: boolean[] = [];
    let middle: [Vector3, Vector3] | null = null;
    for (let knot = 0; knot < stroke.triangles.length; knot++) {
      const place = placeOf(this.stage, stroke, knot);
      if (!place) return;
      const [position, normal] = this.surface(place);
      pixels.push(this.ink.pixel(position));
      facing.push(normal.dot(eye.clone().sub(position)) > 0 && !this.covered.has(`${stroke.name} ${knot}`));
      if (knot === middleOf(stroke)) middle = [position, normal];
    }
    if (chosen && middle && facing[middleOf(stroke)]) this.showHandles(stroke, pixels, ...middle);
    if (facing.some((seen) => seen)) this.ink.curve(pixels, chosen);
    pixels.forEach((pixel, knot) => {
      if (!facing[knot]) return;
      this.shown.push({ stroke, knot, pixel });
      this.ink.dot(pixel, chosen ? KNOT : 2.5, chosen && chosenKnot.value === knot);
    });
  }

  /** One more knot of the chosen stroke, where the skin is seen in the middle between two. */
  private insert(knot: number): void {
    insertAfter.value = null;
    const stroke = chosenStroke.value;
    const [one, other] = [knot, knot + 1].map(
      (number) =>
        this.shown.find((shown) => shown.stroke === stroke && shown.knot === number && !shown.whole)?.pixel,
    );
    const place = one && other && placeAt(this.stage, one.clone().lerp(other, 0.5));
    if (!stroke || !place) {
      showTold("Both knots must be seen to put one between them.");
      return;
    }
    const [a = 0, b = 0, c = 0] = place.shares.map((share) => Math.min(1, Math.max(0, share)));
    const sum = a + b + c;
    ask({
      do: "insert-knot",
      stroke: stroke.name,
      triangle: place.triangle,
      shares: [a / sum, b / sum, c / sum],
    });
    chosenKnot.value = knot + 1;
  }

  /** Whether skin stands before a knot costs a ray: one knot is asked about in every picture, in turn. */
  private lookAgain(visible: readonly StrokeInfo[]): void {
    const all = visible.flatMap((stroke) => stroke.triangles.map((_, knot) => ({ stroke, knot })));
    const one = all[++this.looked % Math.max(1, all.length)];
    const place = one && placeOf(this.stage, one.stroke, one.knot);
    if (!one || !place || this.drag) return;
    const eye = this.stage.viewer.camera.position;
    const [position] = this.surface(place);
    const hit = this.stage.pick(position.clone().sub(eye).normalize());
    const nearest = hit ? this.surface(hit)[0].distanceTo(eye) : Number.POSITIVE_INFINITY;
    const name = `${one.stroke.name} ${one.knot}`;
    if (nearest < position.distanceTo(eye) - 0.01 * size.value) this.covered.add(name);
    else this.covered.delete(name);
  }

  /** The handle of the height, and across from it the square by which all of it is dragged; both beside the line. */
  private showHandles(
    stroke: StrokeInfo,
    pixels: readonly Vector2[],
    position: Vector3,
    normal: Vector3,
  ): void {
    const middle = middleOf(stroke);
    const base = pixels[middle]!;
    const along = (pixels[middle + 1] ?? base).clone().sub(pixels[middle - 1] ?? base);
    const step = 0.01 * size.value;
    const out = this.ink.pixel(position.clone().addScaledVector(normal, step)).sub(base);
    const up = wayOut(out.multiplyScalar(metresPerPixel(this.stage, position) / step), along);
    const end = base.clone().addScaledVector(up, STEM);
    this.ink.stem(base, end);
    this.ink.dot(end, 4, this.drag?.knot === -1);
    this.shown.push({ stroke, knot: -1, pixel: end, up });
    const grip = base.clone().addScaledVector(up, -GRIP);
    this.ink.square(grip, 4, this.drag?.whole ?? false);
    this.shown.push({ stroke, knot: middle, pixel: grip, whole: true });
  }

  private carry(drag: Drag): void {
    if (drag.knot < 0) {
      const rise = drag.pixel.clone().sub(drag.start).dot(drag.up) * drag.perPixel;
      const limit = FARTHEST * size.value;
      drag.height = Math.max(-limit, Math.min(limit, drag.stroke.height + rise));
    } else this.pull(drag);
    if (performance.now() - drag.time >= SHORTEST_WAIT) this.say(drag, false);
    else this.stage.redraw();
  }

  /** From where the knot is without the pull that is in the frame, to where the pointer is now. */
  private pull(drag: Drag): void {
    const { skin, viewer } = this.stage;
    const place = placeOf(this.stage, drag.stroke, drag.knot);
    if (!place) return;
    const [seen] = this.surface(place);
    const inFrame = drag.sent.filter(({ seq }) => seq <= skin!.frame!.lastCommand).at(-1);
    const base = inFrame ? seen.sub(inFrame.by) : seen;
    const forward = viewer.camera.getWorldDirection(new Vector3());
    const depth = base.clone().sub(viewer.camera.position).dot(forward);
    const direction = rayThrough(this.stage, drag.pixel.clone().add(drag.grip));
    const to = viewer.camera.position.clone().addScaledVector(direction, depth / direction.dot(forward));
    drag.by = to.sub(base).clampLength(0, FARTHEST * size.value);
  }

  private say(drag: Drag, done: boolean): void {
    const { stroke, knot, whole, by, height } = drag;
    drag.time = performance.now();
    const last = drag.sent.at(-1);
    if (!done && knot >= 0 && last && last.by.distanceTo(by) < 1e-5) return;
    const seq = ask(
      knot < 0
        ? { do: "change-height", stroke: stroke.name, height, done }
        : {
            ...(whole ? ({ do: "move-stroke" } as const) : ({ do: "move-knot", knot } as const)),
            stroke: stroke.name,
            by: by.toArray(),
            done,
            view: this.stage.pane.number,
          },
    );
    if (seq !== null) drag.sent.push({ seq, by: by.clone() });
  }

  private surface(place: Place): [Vector3, Vector3] {
    const [position, normal] = [new Vector3(), new Vector3()];
    this.stage.skin!.surface(place, position, normal);
    return [position, normal];
  }
}

function distanceToPiece(pixel: Vector2, from: Vector2, to: Vector2): number {
  const along = to.clone().sub(from);
  const share = pixel.clone().sub(from).dot(along) / Math.max(along.lengthSq(), 1e-6);
  return from
    .clone()
    .addScaledVector(along, Math.min(1, Math.max(0, share)))
    .distanceTo(pixel);
}

/** On the screen, the way out of the skin at a line, as seen: where that is hardly seen, away from the line.

 `out` is the normal as it is seen, as long as 1 where nothing of it is towards the viewer, `along` the line. */
function wayOut(out: Vector2, along: Vector2): Vector2 {
  const across = along.length() > 0.5 ? new Vector2(along.y, -along.x).normalize() : new Vector2(0, -1);
  if (across.y > 0) across.negate(); // upward
  if (out.dot(across) < -DOWN) across.negate(); // unless the skin looks down
  return across
    .multiplyScalar(Math.max(0, 1 - out.length()))
    .add(out)
    .normalize();
}

function middleOf({ triangles }: StrokeInfo): number {
  return triangles.length >> 1;
}

/** Where a knot lies on the skin, in its display points. */
function placeOf(stage: Stage, stroke: StrokeInfo, knot: number): Place | null {
  const triangles = stage.skin?.data.triangles;
  const at = 3 * (stroke.triangles[knot] ?? Number.POSITIVE_INFINITY);
  if (!triangles || at + 2 >= triangles.length) return null;
  return {
    triangle: at / 3,
    points: [triangles[at]!, triangles[at + 1]!, triangles[at + 2]!],
    shares: stroke.shares[knot]!,
  };
}

function metresPerPixel(stage: Stage, position: Vector3): number {
  const { viewer } = stage;
  const forward = viewer.camera.getWorldDirection(new Vector3());
  const depth = position.clone().sub(viewer.camera.position).dot(forward);
  return (2 * depth * Math.tan((viewer.camera.fov * Math.PI) / 360)) / stage.boxOf(stage.pane).height;
}
