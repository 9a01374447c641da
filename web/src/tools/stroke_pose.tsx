// Pose by strokes: a line over the bones picks joints, a second one says where they go; that one can be drawn again.
import { computed, effect, signal } from "@preact/signals";
import type { Point, PoseStrokesInfo } from "../messages";
import { type Pixels, pixelOfPlace } from "../scene/gizmo";
import { JointDots, LARGE, LIT, PINNED } from "../scene/joint_dots";
import type { Look } from "../scene/looks";
import { HandMark } from "../scene/marks";
import { PoseLine } from "../scene/pose_lines";
import type { Stage } from "../scene/stage";
import { ask, bonesShown, showTold, state } from "../session";
import { needJoints } from "../shown";
import { type Vector2, Vector3 } from "../three";
import { StrokeOptions } from "../ui/stroke_options";
import { DrawingPlane, facePlane, togglePlane } from "./drawing_plane";
import { fresh, jointPlaces, jointUnder, pins, posingOptions, togglePin } from "./joints";
import { between, distanceToPiece, smoothed, thinned, waysAlong } from "./lines";
import { movesOf, pixelOf, rayThrough, type Tool } from "./tool";

const SHORTEST_WAIT = 15; // between two commands [ms]
const APART = 2.5; // between samples of a line [CSS pixels]
const LEAST = 12; // length of a line that is one [CSS pixels]
const NEAR_LINE = 6; // [CSS pixels]: and so is the line
const NEAR = 10; // [CSS pixels]: a knot this near to the pointer is meant
const RADIUS = 0.06; // of the brush at first, in sizes of the character
const STEP = 1.2;

/** How far from the line joints are picked, in sizes of the character. */
export const brush = signal(RADIUS);

/** The line over the bones with the joints it picked, and when in the motion it was drawn.

 `pose` is what the second line has made, once it is drawn. */
interface Baseline {
  places: Vector3[];
  joints: readonly number[];
  byHand: boolean; // whether clicks have taken joints in or out
  time: number;
  pose: string;
}
const baseline = signal<Baseline | null>(null);
/** What is to be drawn next. */
export const phase = computed(() => (baseline.value ? "offset" : "baseline"));

/** How many times as long bones may become, whether they turn about themselves, and whether a part is drawn anew. */
export const stretch = signal(1);
export const twisted = signal(false);
export const partly = signal(false);
/** Whether there is a second line, of which a part can be drawn anew. */
export const isPosed = computed(() => Boolean(baseline.value?.pose));

interface Drawing {
  kind: "baseline" | "offset" | "knot" | "line";
  pointer: number;
  at: Vector3; // the joint or knot where it began
  from: Vector3; // where the pointer was then
  depth: number; // of the plane that is drawn on, where no bone says another one [m]
  last: Vector2;
  pixels: Vector2[];
  length: number; // [CSS pixels]
  places: Vector3[];
  knot: number;
  sent: { time: number; count: number };
}

export class PoseByStrokes implements Tool {
  readonly id = "stroke-pose";
  readonly name = "Pose by strokes";
  readonly key = "K";
  readonly icon = "strokePose";
  readonly hint = "Joints under a first line go over to a second one.";
  private readonly dots: JointDots;
  private readonly knots: JointDots;
  private readonly first: PoseLine;
  private readonly second: PoseLine;
  private readonly circle: HandMark;
  private readonly plane: DrawingPlane;
  private drawing: Drawing | null = null;
  private pointer: Vector2 | null = null;
  private hovered: number | null = null;
  private within = false;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.dots = new JointDots(stage.scene, look);
    this.knots = new JointDots(stage.scene, look);
    this.first = new PoseLine(stage.scene, look, true);
    this.second = new PoseLine(stage.scene, look, false);
    this.circle = new HandMark(stage.scene, look);
    this.plane = new DrawingPlane(stage, look);
    effect(() => {
      baseline.value;
      brush.value;
      pins.value;
      stage.redraw();
    });
    let mesh = -1;
    effect(() => {
      const now = state.value?.mesh.mesh ?? -1;
      if (now !== mesh) forget();
      mesh = now;
    });
  }

  wear(look: Look): void {
    for (const mark of [this.dots, this.knots, this.first, this.second, this.circle, this.plane])
      mark.wear(look);
  }

  enter(): void {
    this.within = true;
    needJoints(this.id, true);
    this.stage.showBones(true);
  }

  leave(): void {
    this.within = false;
    this.lost();
    this.pointer = null;
    for (const mark of [this.dots, this.knots, this.first, this.second, this.circle, this.plane]) mark.hide();
    this.stage.canvas.classList.remove("drawing", "on-joint");
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
  }

  lost(): void {
    this.drawing = null;
  }

  hear(key: string): boolean {
    if (key === "[" || key === "]") setBrush(brush.value * (key === "]" ? STEP : 1 / STEP));
    else if (key === "P" && this.hovered !== null) togglePin(this.hovered);
    else if (key === "Escape" && baseline.value) forget();
    else if (key === "Delete" || key === "Backspace") return this.deleteKnot();
    else return false;
    return true;
  }

  down(event: PointerEvent): boolean {
    const places = jointPlaces(this.stage);
    if (this.drawing || places.length === 0) return false;
    if (this.plane.down(event)) return true;
    const pixel = pixelOf(this.stage, event);
    const onKnot = this.knotUnder(pixel);
    const knot = onKnot ?? this.lineUnder(pixel);
    const kind = knot === null ? phase.value : onKnot === null ? "line" : "knot";
    if (kind === "baseline" && this.nearestJoint(pixel, places).away > 4 * NEAR) return false;
    const at =
      knot !== null
        ? asPlace(this.drawn()!.knots[knot]!)
        : places[this.nearestJoint(pixel, places).joint]!.clone();
    if (state.value?.transport.playing) ask({ do: "pause" });
    this.drawing = {
      kind,
      pointer: event.pointerId,
      at,
      from: at,
      depth: this.depthOf(at),
      last: pixel,
      pixels: [pixel],
      length: 0,
      places: [],
      knot: knot ?? 0,
      sent: { time: 0, count: 0 },
    };
    this.lay(this.drawing);
    this.drawing.from = this.drawing.places.at(-1) ?? at;
    return true;
  }

  move(event: PointerEvent): void {
    if (this.plane.move(event)) return;
    const drawing = this.drawing;
    if (drawing?.pointer !== event.pointerId) return;
    for (const one of movesOf(event)) {
      const pixel = pixelOf(this.stage, one);
      this.pointer = pixel;
      const way = pixel.distanceTo(drawing.last);
      if (way < APART && !isDragged(drawing)) continue;
      drawing.length += way;
      drawing.last = pixel;
      drawing.pixels.push(pixel);
    }
    this.lay(drawing);
  }

  up(event: PointerEvent, cancelled: boolean): void {
    if (this.plane.up(event, cancelled)) return;
    const drawing = this.drawing;
    if (drawing?.pointer !== event.pointerId) return;
    this.drawing = null;
    if (isDragged(drawing) && drawing.length > 0) this.tell(drawing, true);
    else if (cancelled) return;
    else if (drawing.length < LEAST) this.pick(drawing);
    else if (drawing.kind === "offset") this.tell(drawing, true);
    else this.keep(drawing.places);
  }

  /** A click on a joint takes it in, or out where it is in; a pose that was drawn follows. */
  private pick({ kind, last }: Drawing): void {
    const [line, joint] = [baseline.value, jointUnder(this.stage, last)];
    if (kind === "baseline" || !line || joint === null) return;
    const others = line.joints.filter((one) => one !== joint);
    const joints = others.length < line.joints.length ? others : [...line.joints, joint];
    if (joints.length === 0) {
      showTold("A line without any joint poses nothing: this is its last one.");
      return;
    }
    baseline.value = { ...line, joints, byHand: true };
    if (line.pose)
      ask({ do: "move-pose-line", pose: line.pose, by: [0, 0, 0], ...this.posing(line.time), done: true });
  }

  /** Lay what is drawn into space: the first line as deep as bones lie under it, the second as deep as the first.

   Where a plane was put up the second lies on that, and knots are pulled along it. */
  private lay(drawing: Drawing): void {
    const { kind, pixels, depth } = drawing;
    const line = baseline.value?.places ?? [];
    if (isDragged(drawing)) {
      const { at } = drawing;
      drawing.places = [this.plane.under(pixels.at(-1)!, at) ?? this.onPlane(pixels.at(-1)!, depth)];
    } else if (kind === "baseline") {
      const depths = smoothed(pixels.map((pixel) => this.boneDepth(pixel) ?? Number.NaN));
      drawing.places = pixels.map((pixel, i) => this.onPlane(pixel, depths[i] ?? depth));
    } else {
      const [ways, own] = [waysAlong(pixels), waysAlong(line)];
      const depths = line.map((place) => this.depthOf(place));
      drawing.places = pixels.map(
        (pixel, i) => this.plane.under(pixel) ?? this.onPlane(pixel, between(own, depths, ways[i]!)),
      );
    }
  }

  /** How deep the bone lies that is seen nearest to a pixel; null where none is near. */
  private boneDepth(pixel: Vector2): number | null {
    const { skeleton } = this.stage.joints ?? {};
    const places = jointPlaces(this.stage);
    const window = this.stage.boxOf(this.stage.pane);
    const seen = places.map((place) => pixelOfPlace(place, this.stage.viewer.camera, window));
    let [nearest, found] = [4 * NEAR, null as number | null];
    skeleton?.parents.forEach((parent, joint) => {
      if (parent < 0) return;
      const [from, along] = [seen[parent]!, seen[joint]!.clone().sub(seen[parent]!)];
      const share = Math.min(
        1,
        Math.max(0, pixel.clone().sub(from).dot(along) / Math.max(along.lengthSq(), 1e-6)),
      );
      const away = from.clone().addScaledVector(along, share).distanceTo(pixel);
      if (away >= nearest) return;
      nearest = away;
      found = this.depthOf(places[parent]!.clone().lerp(places[joint]!, share));
    });
    return found;
  }

  private keep(places: Vector3[]): void {
    const joints = this.picked(places);
    if (joints.length > 0) baseline.value = { places, joints, byHand: false, time: this.time(), pose: "" };
    else
      showTold("No joint lies within the brush of this line: draw over the bones, or make the brush larger.");
  }

  hover(event: PointerEvent | null): void {
    this.pointer = event && pixelOf(this.stage, event);
    this.hovered = this.pointer && jointUnder(this.stage, this.pointer);
    this.stage.canvas.classList.toggle("on-joint", this.plane.hover(this.pointer));
  }

  /** Before every picture. */
  update(): void {
    if (!this.within) return;
    const { stage, drawing } = this;
    const places = jointPlaces(stage);
    if (places.length === 0) return;
    this.adopt();
    this.plane.update();
    if (drawing && drawing.kind !== "baseline" && drawing.length >= (isDragged(drawing) ? 0.5 : LEAST))
      this.tell(drawing, false);
    const line = drawing?.kind === "baseline" ? drawing.places : baseline.value?.places;
    const near = new Set(drawing?.kind === "baseline" ? this.picked(drawing.places) : baseline.value?.joints);
    const kinds = Uint8Array.from(places, (_, joint) => {
      const pinned = pins.value.has(joint);
      return (near.has(joint) || pinned ? LIT : 0) + (pinned ? PINNED : 0) + (near.has(joint) ? LARGE : 0);
    });
    const window = stage.boxOf(stage.pane);
    this.dots.show(places, kinds, window);
    if (line) this.first.show(line);
    else this.first.hide();
    this.drawSecond(window);
    this.drawCircle(places);
    const over = this.pointer && (this.knotUnder(this.pointer) ?? this.lineUnder(this.pointer));
    stage.canvas.classList.toggle("drawing", this.pointer !== null && over === null);
  }

  /** The second line with its knots; while a knot is pulled, straight from knot to knot. */
  private drawSecond(window: Pixels): void {
    const { drawing, pointer } = this;
    const drawn = drawing?.kind === "offset" ? null : this.drawn();
    const knots = drawn?.knots.map(asPlace) ?? [];
    const by = drawing?.kind === "line" ? wayOf(drawing) : new Vector3();
    for (const knot of knots) knot.add(by);
    if (drawing?.kind === "knot") knots[drawing.knot] = drawing.places.at(-1)!;
    if (drawing?.kind === "offset") this.second.show(drawing.places);
    else
      this.second.show(
        drawing?.kind === "knot" ? knots : (drawn?.offset.map((place) => asPlace(place).add(by)) ?? []),
      );
    const meant = drawing?.kind === "knot" ? drawing.knot : pointer && this.knotUnder(pointer);
    if (knots.length > 0)
      this.knots.show(
        knots,
        Uint8Array.from(knots, (_, knot) => LIT + (knot === meant ? LARGE : 0)),
        window,
      );
    else this.knots.hide();
  }

  options() {
    const { stage } = this;
    const through = () => baseline.value?.places.at(-1)?.clone() ?? stage.joint(0) ?? new Vector3();
    return <StrokeOptions face={() => facePlane(stage)} toggle={() => togglePlane(stage, through())} />;
  }

  private time(): number {
    return this.stage.skin?.frame?.motionTime ?? 0;
  }

  /** The lines of the pose that is being drawn, as the engine has them. */
  private drawn(): PoseStrokesInfo | null {
    const name = baseline.value?.pose;
    return (name && state.value?.edits.pose_strokes.find(({ pose }) => pose === name)) || null;
  }

  /** A pose that was drawn a moment ago is the one to go on with; one that was undone is to be drawn anew. */
  private adopt(): void {
    const line = baseline.value;
    if (!line || this.drawing) return;
    const known = state.value?.edits.pose_strokes ?? [];
    if (line.pose && !known.some(({ pose }) => pose === line.pose)) baseline.value = { ...line, pose: "" };
    const last = known.at(-1);
    if (!line.pose && last && last.time === line.time && matches(last.baseline, line.places))
      baseline.value = { ...line, pose: last.pose };
  }

  private depthOf(at: Vector3): number {
    const { camera } = this.stage.viewer;
    return at.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector3()));
  }

  /** Where a pixel is on the plane at a depth that faces the viewer. */
  private onPlane(pixel: Vector2, depth: number): Vector3 {
    const { camera } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixel);
    const forward = camera.getWorldDirection(new Vector3());
    return camera.position.clone().addScaledVector(direction, depth / direction.dot(forward));
  }

  private nearestJoint(pixel: Vector2, places: readonly Vector3[]): { joint: number; away: number } {
    const { viewer } = this.stage;
    const window = this.stage.boxOf(this.stage.pane);
    const away = places.map((place) => pixelOfPlace(place, viewer.camera, window).distanceTo(pixel));
    const joint = away.indexOf(Math.min(...away));
    return { joint, away: away[joint]! };
  }

  private knotUnder(pixel: Vector2): number | null {
    const drawn = this.drawn();
    if (!drawn) return null;
    const window = this.stage.boxOf(this.stage.pane);
    const away = drawn.knots.map((knot) =>
      pixelOfPlace(asPlace(knot), this.stage.viewer.camera, window).distanceTo(pixel),
    );
    const nearest = Math.min(...away);
    return nearest < NEAR ? away.indexOf(nearest) : null;
  }

  /** The knot nearest to a pixel that lies on the second line between knots. */
  private lineUnder(pixel: Vector2): number | null {
    const drawn = this.drawn();
    if (!drawn || partly.value) return null; // a part that is drawn anew begins on it
    const window = this.stage.boxOf(this.stage.pane);
    const seen = (place: Point) => pixelOfPlace(asPlace(place), this.stage.viewer.camera, window);
    const away = drawn.offset.map((place) => seen(place).distanceTo(pixel));
    if (Math.min(...away) > NEAR_LINE) return null;
    const knots = drawn.knots.map((knot) => seen(knot).distanceTo(pixel));
    return knots.indexOf(Math.min(...knots));
  }

  /** The joints within the brush of a line. */
  private picked(line: readonly Vector3[]): number[] {
    const radius = metres();
    return jointPlaces(this.stage).flatMap((place, joint) =>
      line.some((at, i) => distanceToPiece(place, at, line[i + 1] ?? at) <= radius) ? [joint] : [],
    );
  }

  /** The brush about the pointer while the first line is drawn. */
  private drawCircle(places: readonly Vector3[]): void {
    if (!this.pointer || phase.value !== "baseline") {
      this.circle.hide();
      return;
    }
    const depth = this.drawing?.depth ?? this.depthOf(places[this.nearestJoint(this.pointer, places).joint]!);
    const towards = this.stage.viewer.camera.getWorldDirection(new Vector3()).negate();
    this.circle.show(this.onPlane(this.pointer, depth), towards, metres(), null);
  }

  private posing(time: number) {
    const line = baseline.value;
    return {
      ...posingOptions(time),
      radius: metres(),
      joints: line?.byHand ? [...line.joints] : [],
      stretch: stretch.value,
      twist: twisted.value,
    };
  }

  /** Take the knot under the pointer away. */
  private deleteKnot(): boolean {
    const [line, knot] = [baseline.value, this.pointer && this.knotUnder(this.pointer)];
    if (!line || knot === null) return false;
    ask({ do: "delete-pose-knot", pose: line.pose, knot, ...this.posing(line.time), done: true });
    return true;
  }

  private tell(drawing: Drawing, done: boolean): void {
    const line = baseline.value;
    const now = performance.now();
    if (!line) return;
    if (!done && (now - drawing.sent.time < SHORTEST_WAIT || drawing.sent.count === drawing.places.length)) {
      if (drawing.sent.count !== drawing.places.length) this.stage.redraw();
      return;
    }
    drawing.sent = { time: now, count: drawing.places.length };
    const options = { ...this.posing(line.time), done };
    if (drawing.kind === "line") {
      ask({ do: "move-pose-line", pose: line.pose, by: wayOf(drawing).toArray(), ...options });
      return;
    }
    if (drawing.kind === "knot") {
      const to = drawing.places.at(-1)!.toArray();
      ask({ do: "pull-pose-knot", pose: line.pose, knot: drawing.knot, to, ...options });
      return;
    }
    ask({
      do: "pose-by-strokes",
      baseline: thinned(line.places),
      offset: thinned(drawing.places),
      again: line.pose,
      part: partly.value && line.pose !== "",
      ...options,
    });
    if (done) fresh.value = false;
  }
}

/** Whether it is something that is there already which goes along with the pointer. */
function isDragged({ kind }: Drawing): boolean {
  return kind === "knot" || kind === "line";
}

/** How far a line has been dragged. */
function wayOf({ from, places }: Drawing): Vector3 {
  return places.at(-1)!.clone().sub(from);
}

/** Draw another line over the bones. */
export function forget(): void {
  baseline.value = null;
}

export function setBrush(share: number): void {
  brush.value = Math.min(0.4, Math.max(0.01, share));
}

/** The radius of the brush [m]. */
export function metres(): number {
  return brush.value * (state.value?.mesh.size || 1.8);
}

function asPlace([x, y, z]: Point): Vector3 {
  return new Vector3(x, y, z);
}

/** Whether the engine's line runs between the same ends as one that was drawn here. */
function matches(line: readonly Point[], places: readonly Vector3[]): boolean {
  const near = (a: Point | undefined, b: Vector3 | undefined) => a && b && asPlace(a).distanceTo(b) < 1e-3;
  return Boolean(near(line[0], places[0]) && near(line.at(-1), places.at(-1)));
}
