// Lines from a skin: forces as arrows that grow strong towards their tips, and what every vertex hangs on.
import type { LinesFrame } from "../frames";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  type Group,
  LineBasicMaterial,
  LineSegments,
  type PerspectiveCamera,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";

const BARB = 0.22; // of an arrow's length
const FAINT = 0.15; // opacity where a line begins
const HANGS = 0.55; // opacity of lines to what skin hangs on

export class Arrows {
  private readonly lines: LineSegments;
  private frame: LinesFrame | null = null;
  private colour = new Color();
  private heads = true;

  constructor(
    private readonly group: Group,
    look: Look,
  ) {
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthTest: false });
    this.lines = new LineSegments(new BufferGeometry(), material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 8;
    this.lines.visible = false;
    group.add(this.lines);
    this.wear(look);
  }

  wear(look: Look): void {
    this.colour.set(LOOKS[look].ring);
  }

  /** Lines of the frame that is shown next; arrows have heads. */
  newest(frame: LinesFrame, heads: boolean): void {
    [this.frame, this.heads] = [frame, heads];
  }

  hide(): void {
    this.frame = null;
    this.lines.visible = false;
  }

  /** Before a picture. */
  prepare(camera: PerspectiveCamera): void {
    this.lines.visible = this.frame !== null;
    if (!this.frame) return;
    const { places } = this.frame;
    const each = this.heads ? 6 : 2; // ends of a line, and of the two strokes of its head
    const count = (places.length / 6) * each;
    const [position, colour] = this.room(count);
    const [from, to, way, side] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    const { r, g, b } = this.colour;
    for (let line = 0; line < places.length / 6; line++) {
      from.fromArray(places, 6 * line);
      to.fromArray(places, 6 * line + 3);
      const at = each * line;
      from.toArray(position.array, 3 * at);
      to.toArray(position.array, 3 * at + 3);
      colour.setXYZW(at, r, g, b, this.heads ? FAINT : HANGS);
      colour.setXYZW(at + 1, r, g, b, this.heads ? 1 : HANGS);
      if (!this.heads) continue;
      way.subVectors(to, from);
      side
        .subVectors(camera.position, to)
        .cross(way)
        .setLength(0.5 * BARB * way.length());
      way.multiplyScalar(-BARB).add(to);
      for (const sign of [1, -1]) {
        const head = at + (sign > 0 ? 2 : 4);
        to.toArray(position.array, 3 * head);
        position.setXYZ(head + 1, way.x + sign * side.x, way.y + sign * side.y, way.z + sign * side.z);
        for (const end of [head, head + 1]) colour.setXYZW(end, r, g, b, 1);
      }
    }
    position.needsUpdate = true;
    colour.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, count);
  }

  dispose(): void {
    this.group.remove(this.lines);
    this.lines.geometry.dispose();
    (this.lines.material as LineBasicMaterial).dispose();
  }

  /** Attributes with room for so many ends. */
  private room(count: number): [BufferAttribute, BufferAttribute] {
    const known = this.lines.geometry.getAttribute("position") as BufferAttribute | undefined;
    if (!known || known.count < count) {
      this.lines.geometry.dispose();
      const attribute = (size: number) =>
        new BufferAttribute(new Float32Array(size * count), size).setUsage(DynamicDrawUsage);
      this.lines.geometry = new BufferGeometry()
        .setAttribute("position", attribute(3))
        .setAttribute("color", attribute(4));
    }
    const { geometry } = this.lines;
    return [
      geometry.getAttribute("position") as BufferAttribute,
      geometry.getAttribute("color") as BufferAttribute,
    ];
  }
}
