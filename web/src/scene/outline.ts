// The outline of the skin as it is seen: edges where one side is turned to the viewer and the other is not.
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  type Group,
  LineBasicMaterial,
  LineSegments,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";
import type { Skin } from "./skin";

const NEARER = 0.004; // in ways to the viewer, so that skin does not hide its own edge
const ROOM = 4096; // segments at first

export class Outline {
  private readonly material: LineBasicMaterial;
  private positions = new BufferAttribute(new Float32Array(6 * ROOM), 3).setUsage(DynamicDrawUsage);
  private readonly lines: LineSegments;
  private edges: { skin: Skin; sides: Int32Array } | null = null;
  private facing = new Uint8Array(0);

  constructor(look: Look) {
    this.material = new LineBasicMaterial({ transparent: true, opacity: 0.9 });
    this.lines = new LineSegments(new BufferGeometry(), this.material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 4;
    this.wear(look);
  }

  wear(look: Look): void {
    this.material.color.set(LOOKS[look].ring);
  }

  hide(): void {
    this.lines.removeFromParent();
  }

  /** Along the outline of a skin in a group, as an eye sees it. */
  show(skin: Skin, group: Group, eye: Vector3): void {
    if (!skin.frame) return;
    if (this.lines.parent !== group) group.add(this.lines);
    if (this.edges?.skin !== skin) this.edges = { skin, sides: sidesOf(skin) };
    this.face(skin, eye);
    const { sides } = this.edges;
    const point = new Vector3();
    let count = 0;
    for (let at = 0; at < sides.length; at += 4) {
      const [one, other] = [sides[at + 2]!, sides[at + 3]!];
      const seen = this.facing[one]!;
      if (other < 0 ? !seen : seen === this.facing[other]) continue;
      if (6 * (count + 1) > this.positions.array.length) this.grow();
      for (let end = 0; end < 2; end++) {
        skin.point(sides[at + end]!, point).lerp(eye, NEARER);
        this.positions.setXYZ(2 * count + end, point.x, point.y, point.z);
      }
      count++;
    }
    this.positions.needsUpdate = true;
    this.lines.geometry.setAttribute("position", this.positions);
    this.lines.geometry.setDrawRange(0, 2 * count);
  }

  private grow(): void {
    const larger = new Float32Array(2 * this.positions.array.length);
    larger.set(this.positions.array);
    this.lines.geometry.dispose();
    this.positions = new BufferAttribute(larger, 3).setUsage(DynamicDrawUsage);
  }

  /** Which triangles are turned to the eye. */
  private face({ frame, data }: Skin, eye: Vector3): void {
    const { packed, low, side } = frame!;
    const { triangles } = data;
    const scale = 65535 / side;
    const [ex, ey, ez] = [(eye.x - low[0]) * scale, (eye.y - low[1]) * scale, (eye.z - low[2]) * scale];
    if (this.facing.length !== triangles.length / 3) this.facing = new Uint8Array(triangles.length / 3);
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [4 * triangles[t]!, 4 * triangles[t + 1]!, 4 * triangles[t + 2]!];
      const [ax, ay, az] = [packed[a]!, packed[a + 1]!, packed[a + 2]!];
      const [ux, uy, uz] = [packed[b]! - ax, packed[b + 1]! - ay, packed[b + 2]! - az];
      const [vx, vy, vz] = [packed[c]! - ax, packed[c + 1]! - ay, packed[c + 2]! - az];
      const turned =
        (uy * vz - uz * vy) * (ex - ax) + (uz * vx - ux * vz) * (ey - ay) + (ux * vy - uy * vx) * (ez - az);
      this.facing[t / 3] = turned > 0 ? 1 : 0;
    }
  }
}

/** For every edge its two display points and the two triangles beside it; -1 where there is only one. */
function sidesOf({ data }: Skin): Int32Array {
  const { triangles, vertexOfPoint } = data;
  const known = new Map<number, number>();
  const sides = new Int32Array(4 * triangles.length);
  const vertices = data.points + 1;
  let count = 0;
  for (let t = 0; t < triangles.length; t += 3)
    for (let corner = 0; corner < 3; corner++) {
      const [p, q] = [triangles[t + corner]!, triangles[t + ((corner + 1) % 3)]!];
      const [v, w] = [vertexOfPoint[p]!, vertexOfPoint[q]!];
      const name = Math.min(v, w) * vertices + Math.max(v, w);
      const there = known.get(name);
      if (there !== undefined) sides[there + 3] = t / 3;
      else {
        known.set(name, 4 * count);
        sides.set([p, q, t / 3, -1], 4 * count++);
      }
    }
  return sides.slice(0, 4 * count);
}
