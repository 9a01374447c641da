// Planes between bones: each says where the skin of one ends and that of the next begins; they are moved and turned.
import { effect, signal } from "@preact/signals";
import type { DividerInfo, Point } from "../messages";
import { Disc } from "../scene/disc";
import { Gizmo, pixelOfPlace } from "../scene/gizmo";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { ask, bonesShown, link, state, view } from "../session";
import { needJoints } from "../shown";
import { type Vector2, Vector3 } from "../three";
import { plainName } from "../ui/words";
import { pixelOf, rayThrough, type Tool } from "./tool";

const NEAR = 16; // [CSS pixels]: a plane whose middle is this near to the pointer is meant
const SHORTEST_WAIT = 40; // between two commands of one drag: all of the skin hangs anew by each [ms]
const LARGEST = 0.09; // radius of a plane, in sizes of the character
const CLICK = 3; // [CSS pixels]

const chosen = signal<number | null>(null);

interface Drag {
  pointer: number;
  divider: number;
  from: Vector2;
  depth: number;
  before: DividerInfo;
  ring: { axis: Vector3; spoke: Vector3 } | null;
  moved: boolean;
  by: Point;
  turn: Point;
  sent: number;
  fresh: boolean; // there is something that was not said yet
}

export class DividerPlanes implements Tool {
  readonly id = "planes";
  readonly name = "Planes between bones";
  readonly key = "D";
  readonly icon = "planes";
  readonly hint = "Drag a plane to move where the skin of one bone ends; drag a ring to turn it.";
  private discs: Disc[] = [];
  private readonly gizmo: Gizmo;
  private drag: Drag | null = null;
  private hovered: number | null = null;
  private within = false;

  constructor(
    private readonly stage: Stage,
    private look: Look,
  ) {
    this.gizmo = new Gizmo(stage.scene, look);
    effect(() => {
      const wanted = link.value.open && state.value && !(state.value.dividers.length > 0);
      if (this.within && wanted && this.offered()) ask({ do: "show", dividers: true });
    });
  }

  /** Where skin hangs on single bones. */
  offered(): boolean {
    return view.value?.maps.some(({ name }) => name === "reach_start") ?? false;
  }

  wear(look: Look): void {
    this.look = look;
    for (const disc of this.discs) disc.wear(look);
    this.gizmo.wear(look);
  }

  enter(): void {
    this.within = true;
    ask({ do: "show", dividers: true });
    needJoints(this.id, true);
    this.stage.showBones(true);
  }

  leave(): void {
    this.within = false;
    this.drag = null;
    chosen.value = null;
    for (const disc of this.discs) disc.dispose();
    this.discs = [];
    this.gizmo.hide();
    ask({ do: "show", dividers: false });
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
    this.stage.canvas.classList.remove("on-joint", "holding");
  }

  lost(): void {
    this.drag = null;
  }

  hear(key: string): boolean {
    if (key !== "Escape" || chosen.value === null) return false;
    chosen.value = null;
    return true;
  }

  down(event: PointerEvent): boolean {
    if (this.drag) return false;
    const pixel = pixelOf(this.stage, event);
    const { camera } = this.stage.viewer;
    const hit =
      chosen.value === null ? null : this.gizmo.pick(pixel, camera, this.stage.boxOf(this.stage.pane));
    const divider = hit ? chosen.value : this.under(pixel);
    const before = divider === null ? undefined : state.value?.dividers[divider];
    if (divider === null || !before) return false;
    const at = this.place(before).center;
    this.drag = {
      pointer: event.pointerId,
      divider,
      from: pixel,
      depth: at.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector3())),
      before,
      ring: hit && { axis: hit.axis, spoke: hit.at.clone().sub(this.gizmo.center) },
      moved: false,
      by: before.by,
      turn: before.turn,
      sent: 0,
      fresh: false,
    };
    chosen.value = divider;
    return true;
  }

  move(event: PointerEvent): void {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return;
    const pixel = pixelOf(this.stage, event);
    drag.moved ||= pixel.distanceTo(drag.from) > CLICK;
    if (!drag.moved) return;
    const own = this.axes(drag.before.joint);
    if (drag.ring) {
      const seen = (place: Vector3) =>
        pixelOfPlace(place, this.stage.viewer.camera, this.stage.boxOf(this.stage.pane));
      const at = this.gizmo.center.clone().add(drag.ring.spoke);
      const little = new Vector3().crossVectors(drag.ring.axis, drag.ring.spoke).multiplyScalar(0.01);
      const along = seen(at.clone().add(little)).sub(seen(at)).multiplyScalar(100); // pixels a radian
      const angle = pixel.clone().sub(drag.from).dot(along) / Math.max(along.lengthSq(), 1e-6);
      drag.turn = plus(drag.before.turn, inAxes(own, drag.ring.axis.clone().multiplyScalar(angle)));
    } else {
      const forward = this.stage.viewer.camera.getWorldDirection(new Vector3());
      const [from, to] = [drag.from, pixel].map((one) => {
        const direction = rayThrough(this.stage, one);
        return direction.multiplyScalar(drag.depth / direction.dot(forward));
      });
      drag.by = plus(drag.before.by, inAxes(own, to!.sub(from!)));
    }
    drag.fresh = true;
    this.stage.redraw();
  }

  up(event: PointerEvent, cancelled: boolean): void {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return;
    this.drag = null;
    if (!drag.moved) return;
    const { divider, before } = drag;
    const [by, turn] = cancelled ? [before.by, before.turn] : [drag.by, drag.turn];
    ask({ do: "move-divider", divider, by, turn, done: !cancelled });
  }

  hover(event: PointerEvent | null): void {
    const pixel = event && pixelOf(this.stage, event);
    this.hovered = pixel && this.under(pixel);
    const hit =
      pixel && chosen.value !== null
        ? this.gizmo.pick(pixel, this.stage.viewer.camera, this.stage.boxOf(this.stage.pane))
        : null;
    this.gizmo.light(hit ? hit.ring : null);
    this.stage.canvas.classList.toggle("on-joint", this.hovered !== null || hit !== null);
  }

  /** Before every picture. */
  update(): void {
    if (!this.within) return;
    const { drag, stage } = this;
    const planes = stage.joints?.frame ? (state.value?.dividers ?? []) : [];
    while (this.discs.length < planes.length) this.discs.push(new Disc(stage.scene, this.look));
    for (const gone of this.discs.splice(planes.length)) gone.dispose();
    if (drag?.fresh && performance.now() - drag.sent > SHORTEST_WAIT) {
      drag.sent = performance.now();
      drag.fresh = false;
      ask({ do: "move-divider", divider: drag.divider, by: drag.by, turn: drag.turn, done: false });
    } else if (drag?.fresh) stage.redraw();
    planes.forEach((plane, number) => {
      const { center, normal, radius } = this.place(this.dragged(plane, number));
      this.discs[number]!.show(center, normal, radius, number === chosen.value || number === this.hovered);
    });
    const one = chosen.value === null ? undefined : planes[chosen.value];
    if (!one || (drag?.moved && !drag.ring)) this.gizmo.hide();
    else {
      const { center } = this.place(this.dragged(one, chosen.value!));
      this.gizmo.show(center, this.axes(one.joint), stage.viewer.camera, stage.boxOf(stage.pane), null);
    }
    stage.canvas.classList.toggle("holding", drag !== null);
  }

  options() {
    const plane = chosen.value === null ? undefined : state.value?.dividers[chosen.value];
    const names = plane?.label.split(" | ").map(plainName);
    return (
      <>
        {names && (
          <p>
            Between <b>{names[0]}</b> and <b>{names[1]}</b>
          </p>
        )}
        <button
          type="button"
          class="button outlined"
          disabled={!state.value?.dividers.some(({ by, turn }) => [...by, ...turn].some((x) => x !== 0))}
          onClick={() => ask({ do: "reset-dividers" })}
        >
          All planes as they were
        </button>
      </>
    );
  }

  /** A plane with what a hand is doing to it, which the engine may not have said again yet. */
  private dragged(plane: DividerInfo, number: number): DividerInfo {
    const { drag } = this;
    if (drag?.divider !== number) return plane;
    const point = plus(drag.before.point, minus(drag.by, drag.before.by));
    const turned = new Vector3(...minus(drag.turn, drag.before.turn));
    const angle = turned.length();
    const normal = new Vector3(...drag.before.normal);
    if (angle > 0) normal.applyAxisAngle(turned.normalize(), angle);
    return { ...plane, point, normal: normal.toArray() };
  }

  /** Axes of a joint in the world. */
  private axes(joint: number): [Vector3, Vector3, Vector3] {
    const { transforms } = this.stage.joints!.frame!;
    const column = (i: number) =>
      new Vector3(
        transforms[12 * joint + i],
        transforms[12 * joint + 4 + i],
        transforms[12 * joint + 8 + i],
      ).normalize();
    return [column(0), column(1), column(2)];
  }

  private place({ joint, point, normal, size }: DividerInfo) {
    const axes = this.axes(joint);
    const into = (values: Point) =>
      axes.reduce((sum, axis, i) => sum.addScaledVector(axis, values[i]!), new Vector3());
    const radius = Math.min(0.45 * size, LARGEST * (state.value?.mesh.size || 1.8));
    return { center: into(point).add(this.stage.joint(joint)!), normal: into(normal), radius };
  }

  private under(pixel: Vector2): number | null {
    if (!this.stage.joints?.frame) return null;
    const window = this.stage.boxOf(this.stage.pane);
    const away = (state.value?.dividers ?? []).map((plane) =>
      pixelOfPlace(this.place(plane).center, this.stage.viewer.camera, window).distanceTo(pixel),
    );
    const nearest = Math.min(...away);
    return nearest < NEAR ? away.indexOf(nearest) : null;
  }
}

/** A vector of the world in the axes of a joint. */
function inAxes(axes: readonly Vector3[], vector: Vector3): Point {
  return axes.map((axis) => axis.dot(vector)) as Point;
}

function plus(a: Point, b: Point): Point {
  return a.map((one, i) => one + b[i]!) as Point;
}

function minus(a: Point, b: Point): Point {
  return a.map((one, i) => one - b[i]!) as Point;
}
