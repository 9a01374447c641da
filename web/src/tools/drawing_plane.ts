// The plane that lines in space are drawn on: it faces the viewer, or stands where it was put, moved and turned by hand.
import { signal } from "@preact/signals";
import { Disc } from "../scene/disc";
import { Gizmo, pixelOfPlace } from "../scene/gizmo";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { state } from "../session";
import { type Vector2, Vector3 } from "../three";
import { jointPlaces } from "./joints";
import { pixelOf, rayThrough } from "./tool";

const NEAR = 12; // [CSS pixels]: its middle, or a joint to snap to, this near to the pointer is meant
const RADIUS = 0.45; // of the disc that shows it, in sizes of the character
const SHALLOWEST = 0.1; // cosine between a ray and its normal: rays that graze it would go far astray

/** Where it stands; null while it faces the viewer. */
export const drawingPlane = signal<{ point: Vector3; normal: Vector3 } | null>(null);

interface Drag {
  pointer: number;
  from: Vector2;
  point: Vector3;
  normal: Vector3;
  ring: { axis: Vector3; spoke: Vector3 } | null;
}

/** Let it face the viewer from where it stands. */
export function facePlane(stage: Stage): void {
  const normal = stage.viewer.camera.getWorldDirection(new Vector3()).negate();
  if (drawingPlane.value) drawingPlane.value = { ...drawingPlane.value, normal };
}

/** Put it up through a place, facing the viewer, or take it away. */
export function togglePlane(stage: Stage, point: Vector3): void {
  drawingPlane.value = drawingPlane.value ? null : { point, normal: new Vector3(0, 0, 1) };
  facePlane(stage);
}

export class DrawingPlane {
  private readonly disc: Disc;
  private readonly gizmo: Gizmo;
  private drag: Drag | null = null;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.disc = new Disc(stage.scene, look);
    this.gizmo = new Gizmo(stage.scene, look);
    this.hide();
    drawingPlane.subscribe(() => stage.redraw());
  }

  wear(look: Look): void {
    this.disc.wear(look);
    this.gizmo.wear(look);
  }

  hide(): void {
    this.disc.hide();
    this.gizmo.hide();
    this.drag = null;
  }

  /** Where the view through a pixel meets it; null where there is none, or the ray only grazes it. */
  under(pixel: Vector2, through = drawingPlane.value?.point): Vector3 | null {
    const plane = drawingPlane.value;
    if (!plane || !through) return null;
    const { camera } = this.stage.viewer;
    const direction = rayThrough(this.stage, pixel);
    const across = direction.dot(plane.normal);
    const along = through.clone().sub(camera.position).dot(plane.normal) / across;
    if (Math.abs(across) < SHALLOWEST || along <= 0) return null;
    return camera.position.clone().addScaledVector(direction, along);
  }

  /** A pointer goes down: whether it is on the plane's middle or on a ring. */
  down(event: PointerEvent): boolean {
    const plane = drawingPlane.value;
    if (!plane || this.drag) return false;
    const { stage } = this;
    const [pixel, window] = [pixelOf(stage, event), stage.boxOf(stage.pane)];
    const middle = pixelOfPlace(plane.point, stage.viewer.camera, window).distanceTo(pixel) < NEAR;
    const hit = middle ? null : this.gizmo.pick(pixel, stage.viewer.camera, window);
    if (!hit && !middle) return false;
    const ring = hit && { axis: hit.axis, spoke: hit.at.clone().sub(this.gizmo.center) };
    this.drag = { pointer: event.pointerId, from: pixel, ...plane, ring };
    return true;
  }

  /** Whether it has taken the pointer. */
  move(event: PointerEvent): boolean {
    const { drag, stage } = this;
    if (drag?.pointer !== event.pointerId) return false;
    const pixel = pixelOf(stage, event);
    drawingPlane.value = drag.ring
      ? { point: drag.point, normal: this.turned(drag, drag.ring, pixel) }
      : { point: this.snapped(pixel) ?? this.moved(drag, pixel), normal: drag.normal };
    return true;
  }

  up(event: PointerEvent, cancelled: boolean): boolean {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return false;
    this.drag = null;
    if (cancelled) drawingPlane.value = { point: drag.point, normal: drag.normal };
    return true;
  }

  /** A pointer that nobody has taken: whether it is over what can be dragged. */
  hover(pixel: Vector2 | null): boolean {
    const plane = drawingPlane.value;
    const { camera } = this.stage.viewer;
    const window = this.stage.boxOf(this.stage.pane);
    const hit = plane && pixel && this.gizmo.pick(pixel, camera, window);
    this.gizmo.light(hit ? hit.ring : null);
    return Boolean(
      hit || (plane && pixel && pixelOfPlace(plane.point, camera, window).distanceTo(pixel) < NEAR),
    );
  }

  /** Before every picture. */
  update(): void {
    const plane = drawingPlane.value;
    if (!plane) {
      this.hide();
      return;
    }
    const { stage } = this;
    const size = state.value?.mesh.size || 1.8;
    this.disc.show(plane.point, plane.normal, RADIUS * size, this.drag !== null);
    const aside = new Vector3(0, 1, 0).cross(plane.normal);
    if (aside.length() < 1e-3) aside.set(1, 0, 0);
    aside.normalize();
    const axes = [aside, plane.normal.clone().cross(aside), plane.normal];
    this.gizmo.show(plane.point, axes, stage.viewer.camera, stage.boxOf(stage.pane), null);
  }

  private turned(drag: Drag, ring: { axis: Vector3; spoke: Vector3 }, pixel: Vector2): Vector3 {
    const seen = (place: Vector3) =>
      pixelOfPlace(place, this.stage.viewer.camera, this.stage.boxOf(this.stage.pane));
    const at = drag.point.clone().add(ring.spoke);
    const little = new Vector3().crossVectors(ring.axis, ring.spoke).multiplyScalar(0.01);
    const along = seen(at.clone().add(little)).sub(seen(at)).multiplyScalar(100); // pixels a radian
    const angle = pixel.clone().sub(drag.from).dot(along) / Math.max(along.lengthSq(), 1e-6);
    return drag.normal.clone().applyAxisAngle(ring.axis, angle).normalize();
  }

  /** Along with the pointer, across the view. */
  private moved(drag: Drag, pixel: Vector2): Vector3 {
    const { camera } = this.stage.viewer;
    const forward = camera.getWorldDirection(new Vector3());
    const depth = drag.point.clone().sub(camera.position).dot(forward);
    const [from, to] = [drag.from, pixel].map((one) => {
      const direction = rayThrough(this.stage, one);
      return direction.multiplyScalar(depth / direction.dot(forward));
    });
    return drag.point.clone().add(to!).sub(from!);
  }

  /** The joint that is seen under the pointer, if there is one. */
  private snapped(pixel: Vector2): Vector3 | null {
    const window = this.stage.boxOf(this.stage.pane);
    const found = jointPlaces(this.stage).find(
      (place) => pixelOfPlace(place, this.stage.viewer.camera, window).distanceTo(pixel) < NEAR,
    );
    return found ? found.clone() : null;
  }
}
