// Three rings about a joint, to turn it by: thin lines of a constant size, of which the halves that face the viewer show.
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
  private radius = 1; // [m]
  private lit: number | null = null;

  constructor(scene: Scene, look: Look) {
    this.materials = Array.from(
      { length: 4 },
      () => new LineBasicMaterial({ transparent: true, depthTest: false }),
    );
    this.lines = this.materials.map((material, i) => {
      const places = new BufferAttribute(new Float32Array(3 * (i < 3 ? POINTS : 3)), 3);
      const geometry = new BufferGeometry().setAttribute("position", places.setUsage(DynamicDrawUsage));
      const line = new Line(geometry, material);
      line.frustumCulled = false;
      line.renderOrder = 12;
      line.visible = false;
      scene.add(line);
      return line;
    });
    this.wear(look);
  }

  wear(look: Look): void {
    LOOKS[look].axes.forEach((colour, i) => void this.materials[i]!.color.set(colour));
    this.materials[3]!.color.set(LOOKS[look].ring);
  }

  hide(): void {
    for (const line of this.lines) line.visible = false;
  }

  /** Rings about a place with these axes; one alone, in full, while it is being turned by `spoke` and `angle`. */
  show(
    center: Vector3,
    axes: readonly Vector3[],
    camera: PerspectiveCamera,
    window: Pixels,
    turning: { ring: number; axis: Vector3; spoke: Vector3; angle: number } | null,
  ): void {
    this.center.copy(center);
    axes.forEach((axis, i) => void this.axes[i]!.copy(axis));
    if (turning) this.axes[turning.ring]!.copy(turning.axis);
    const depth = center.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector3()));
    const height = 2 * Math.tan((camera.fov * Math.PI) / 360) * Math.max(depth, 1e-6);
    this.radius = (RADIUS * height) / Math.max(1, window.height);
    this.axes.forEach((axis, ring) => {
      const line = this.lines[ring]!;
      line.visible = !turning || turning.ring === ring;
      if (line.visible) this.draw(ring, axis, camera, turning !== null);
      this.materials[ring]!.opacity = turning || this.lit === ring ? 1 : this.lit === null ? 0.85 : 0.4;
    });
    this.drawWedge(turning);
  }

  /** Light the ring that is meant. */
  light(ring: number | null): void {
    this.lit = ring;
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
