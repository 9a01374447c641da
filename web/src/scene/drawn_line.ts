// A line through places in space while it is being drawn, seen through everything.
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Line,
  LineBasicMaterial,
  type Scene,
  type Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";

export class DrawnLine {
  private readonly line: Line;
  private readonly material: LineBasicMaterial;
  private readonly points: BufferAttribute;

  /** `most` places are shown. */
  constructor(scene: Scene, look: Look, most: number) {
    this.material = new LineBasicMaterial({ color: LOOKS[look].ring, depthTest: false, transparent: true });
    this.points = new BufferAttribute(new Float32Array(3 * most), 3).setUsage(DynamicDrawUsage);
    this.line = new Line(new BufferGeometry().setAttribute("position", this.points), this.material);
    this.line.frustumCulled = false;
    this.line.renderOrder = 10;
    this.line.visible = false;
    scene.add(this.line);
  }

  wear(look: Look): void {
    this.material.color.set(LOOKS[look].ring);
  }

  show(places: readonly Vector3[]): void {
    this.line.visible = places.length > 1;
    places.forEach(({ x, y, z }, i) => {
      this.points.setXYZ(i, x, y, z);
    });
    this.points.needsUpdate = true;
    this.line.geometry.setDrawRange(0, places.length);
  }

  hide(): void {
    this.line.visible = false;
  }
}
