// Lines in space that poses are drawn by: the baseline, quiet, and the offset, in the colour of marks.
import type { Scene, Vector3 } from "../three";
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Line, LineBasicMaterial } from "../three";
import { LOOKS, type Look } from "./looks";

const ROOM = 2048; // places of a line at most

export class PoseLine {
  private readonly line: Line;
  private readonly material: LineBasicMaterial;
  private readonly places = new BufferAttribute(new Float32Array(3 * ROOM), 3).setUsage(DynamicDrawUsage);

  constructor(
    scene: Scene,
    look: Look,
    private readonly quiet: boolean,
  ) {
    this.material = new LineBasicMaterial({ transparent: true, depthTest: false, opacity: quiet ? 0.75 : 1 });
    this.line = new Line(new BufferGeometry().setAttribute("position", this.places), this.material);
    this.line.frustumCulled = false;
    this.line.renderOrder = 10;
    this.line.visible = false;
    scene.add(this.line);
    this.wear(look);
  }

  wear(look: Look): void {
    this.material.color.set(this.quiet ? LOOKS[look].axes[2] : LOOKS[look].ring);
  }

  hide(): void {
    this.line.visible = false;
  }

  show(along: readonly Vector3[]): void {
    const count = Math.min(ROOM, along.length);
    for (let i = 0; i < count; i++) this.places.setXYZ(i, along[i]!.x, along[i]!.y, along[i]!.z);
    this.places.needsUpdate = true;
    this.line.geometry.setDrawRange(0, count);
    this.line.visible = count > 1;
  }
}
