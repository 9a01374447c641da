// Three rings about a joint, to turn it by, and a square beside them, to scale it by: thin lines of a constant size.
import type { PerspectiveCamera, Scene } from "../three";
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Line,
  LineBasicMaterial,
  Vector2,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";

const RADIUS = 76; // [CSS pixels]
const POINTS = 65; // of a ring
const NEAR = 8; // [CSS pixels]: a ring this near to the pointer is meant
const SIZE_HANDLE = new Vector2(0.78, 0.78); // of its square, right and up, in radii of the rings
const SQUARE = 6; // half of it [CSS pixels]

const CORNERS = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
  [-1, -1],
] as const;

/** How large a picture is [CSS pixels]. */
export interface Pixels {
  width: number;
  height: number;
}

/** One of the three rings: its axis, and where on it the pointer is, both in the world. */
export interface RingHit {
  ring: number;
  axis: Vector3;
  at: Vector3;
}

export class Gizmo {
  readonly center = new Vector3();
  private readonly lines: Line[];
  private readonly materials: LineBasicMaterial[];
  private readonly axes = [new Vector3(), new Vector3(), new Vector3()];
  private readonly square: Line;
  private readonly stem: Line;
  private radius = 1; // [m]
  private up = 1; // -1 where the handle of the size stands below, since there is no room above
  private lit: number | "size" | null = null;

  constructor(scene: Scene, look: Look) {
    this.materials = Array.from(
      { length: 5 },
      () => new LineBasicMaterial({ transparent: true, depthTest: false }),
    );
    const points = [POINTS, POINTS, POINTS, 3, 5, 2];
    this.lines = points.map((count, i) => {
      const material = this.materials[Math.min(i, 4)]!;
      const places = new BufferAttribute(new Float32Array(3 * count), 3);
      const geometry = new BufferGeometry().setAttribute("position", places.setUsage(DynamicDrawUsage));
      const line = new Line(geometry, material);
      line.frustumCulled = false;
      line.renderOrder = 12;
      line.visible = false;
      scene.add(line);
      return line;
    });
    [this.square, this.stem] = [this.lines[4]!, this.lines[5]!];
    this.wear(look);
  }

  wear(look: Look): void {
    LOOKS[look].axes.forEach((colour, i) => void this.materials[i]!.color.set(colour));
    this.materials[3]!.color.set(LOOKS[look].ring);
    this.materials[4]!.color.set(LOOKS[look].ring);
  }

  hide(): void {
    for (const line of this.lines) line.visible = false;
  }

  /** Rings about a place with these axes; one alone, in full, while it is being turned by `spoke` and `angle`.

   While it is `scaling`, so many times as large as it was, there is only the square, as far out. */
  show(
    center: Vector3,
    axes: readonly Vector3[],
    camera: PerspectiveCamera,
    window: Pixels,
    turning: { ring: number; axis: Vector3; spoke: Vector3; angle: number } | null,
    scaling: number | null = null,
  ): void {
    this.center.copy(center);
    axes.forEach((axis, i) => void this.axes[i]!.copy(axis));
    if (turning) this.axes[turning.ring]!.copy(turning.axis);
    const depth = center.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector3()));
    const height = 2 * Math.tan((camera.fov * Math.PI) / 360) * Math.max(depth, 1e-6);
    this.radius = (RADIUS * height) / Math.max(1, window.height);
    this.up = pixelOfPlace(center, camera, window).y < RADIUS ? -1 : 1;
    this.axes.forEach((axis, ring) => {
      const line = this.lines[ring]!;
      line.visible = scaling === null && (!turning || turning.ring === ring);
      if (line.visible) this.draw(ring, axis, camera, turning !== null);
      this.materials[ring]!.opacity = turning || this.lit === ring ? 1 : this.lit === null ? 0.85 : 0.4;
    });
    this.materials[4]!.opacity = scaling !== null || this.lit === "size" ? 1 : this.lit === null ? 0.85 : 0.4;
    this.drawWedge(turning);
    this.drawSizeHandle(camera, scaling ?? 1, turning === null);
  }

  /** Light the ring that is meant, or the handle of the size. */
  light(ring: number | "size" | null): void {
    this.lit = ring;
  }

  /** Whether a pixel means the handle of the size. */
  isOnSize(pixel: Vector2, camera: PerspectiveCamera, window: Pixels): boolean {
    if (!this.square.visible) return false;
    const at = pixelOfPlace(this.sizeHandle(camera, 1), camera, window);
    return at.distanceTo(pixel) < SQUARE + 4;
  }

  private sizeHandle(camera: PerspectiveCamera, scale: number): Vector3 {
    const [right, up] = [new Vector3(), new Vector3()];
    camera.matrixWorld.extractBasis(right, up, new Vector3());
    const out = right.multiplyScalar(SIZE_HANDLE.x).addScaledVector(up, this.up * SIZE_HANDLE.y);
    return out.multiplyScalar(this.radius * scale).add(this.center);
  }

  /** A square on a stem from the middle, as far out as it is large. */
  private drawSizeHandle(camera: PerspectiveCamera, scale: number, visible: boolean): void {
    this.square.visible = this.stem.visible = visible;
    if (!visible) return;
    const [right, up] = [new Vector3(), new Vector3()];
    camera.matrixWorld.extractBasis(right, up, new Vector3());
    const half = (SQUARE / RADIUS) * this.radius;
    const at = this.sizeHandle(camera, scale);
    const square = this.square.geometry.getAttribute("position") as BufferAttribute;
    for (const [i, [x, y]] of CORNERS.entries()) {
      const corner = at
        .clone()
        .addScaledVector(right, half * x)
        .addScaledVector(up, half * y);
      square.setXYZ(i, corner.x, corner.y, corner.z);
    }
    square.needsUpdate = true;
    const stem = this.stem.geometry.getAttribute("position") as BufferAttribute;
    const way = at.clone().sub(this.center);
    const from = this.center.clone().addScaledVector(way, Math.min(0.2, 0.2 / scale));
    const to = at.addScaledVector(way.normalize(), -Math.SQRT2 * half);
    [from, to].forEach((place, i) => void stem.setXYZ(i, place.x, place.y, place.z));
    stem.needsUpdate = true;
  }

  /** The ring under a pixel, if there is one. */
  pick(pixel: Vector2, camera: PerspectiveCamera, window: Pixels): RingHit | null {
    let [nearest, found] = [NEAR, null as RingHit | null];
    this.lines.slice(0, 3).forEach((line, ring) => {
      if (!line.visible) return;
      const places = line.geometry.getAttribute("position") as BufferAttribute;
      for (let i = 0; i < POINTS; i++) {
        const at = new Vector3().fromBufferAttribute(places, i);
        const away = pixelOfPlace(at, camera, window).distanceTo(pixel);
        if (away < nearest) {
          nearest = away;
          found = { ring, axis: this.axes[ring]!.clone(), at };
        }
      }
    });
    return found;
  }

  private draw(ring: number, axis: Vector3, camera: PerspectiveCamera, full: boolean): void {
    const toViewer = camera.position.clone().sub(this.center).normalize();
    const facing = toViewer.clone().addScaledVector(axis, -toViewer.dot(axis));
    if (facing.length() < 1e-6) facing.set(axis.y, axis.z, axis.x).cross(axis);
    facing.normalize();
    const side = new Vector3().crossVectors(axis, facing);
    // From the front a ring is whole; from its edge only the half on the viewer's side is there.
    const half = full || Math.abs(toViewer.dot(axis)) > 0.9 ? Math.PI : 0.5 * Math.PI;
    const places = this.lines[ring]!.geometry.getAttribute("position") as BufferAttribute;
    for (let i = 0; i < POINTS; i++) {
      const angle = half * ((2 * i) / (POINTS - 1) - 1);
      const at = this.center
        .clone()
        .addScaledVector(facing, this.radius * Math.cos(angle))
        .addScaledVector(side, this.radius * Math.sin(angle));
      places.setXYZ(i, at.x, at.y, at.z);
    }
    places.needsUpdate = true;
  }

  /** From where the ring was taken over the middle to where it is now. */
  private drawWedge(turning: { axis: Vector3; spoke: Vector3; angle: number } | null): void {
    const line = this.lines[3]!;
    line.visible = turning !== null;
    if (!turning) return;
    const places = line.geometry.getAttribute("position") as BufferAttribute;
    const from = turning.spoke.clone().setLength(this.radius);
    const to = from.clone().applyAxisAngle(turning.axis, turning.angle);
    [from, new Vector3(), to].forEach((out, i) => {
      places.setXYZ(i, this.center.x + out.x, this.center.y + out.y, this.center.z + out.z);
    });
    places.needsUpdate = true;
  }
}

/** Where a place is seen [CSS pixels]. */
export function pixelOfPlace(place: Vector3, camera: PerspectiveCamera, window: Pixels): Vector2 {
  const seen = place.clone().project(camera);
  if (seen.z > 1) return new Vector2(-1e6, -1e6); // behind the viewer
  return new Vector2((0.5 + 0.5 * seen.x) * window.width, (0.5 - 0.5 * seen.y) * window.height);
}
