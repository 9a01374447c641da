// Marks of a hand: a thin ring as wide as it reaches, and a line from the flesh it holds to where it is.
import {
  BufferAttribute,
  BufferGeometry,
  Line,
  LineBasicMaterial,
  LineLoop,
  type Object3D,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";

const CORNERS = 72;
const FORWARD = new Vector3(0, 0, 1);

function circle(): BufferGeometry {
  const positions = new Float32Array(3 * CORNERS);
  for (let i = 0; i < CORNERS; i++) {
    positions[3 * i] = Math.cos((2 * Math.PI * i) / CORNERS);
    positions[3 * i + 1] = Math.sin((2 * Math.PI * i) / CORNERS);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(positions, 3));
}

export class HandMark {
  private readonly ring: LineLoop;
  private readonly tether: Line;
  private readonly material: LineBasicMaterial;
  private readonly ends = new BufferAttribute(new Float32Array(6), 3);

  constructor(
    private home: Object3D,
    look: Look,
  ) {
    this.material = new LineBasicMaterial({ color: LOOKS[look].ring, transparent: true, depthTest: false });
    this.ring = new LineLoop(circle(), this.material);
    this.tether = new Line(new BufferGeometry().setAttribute("position", this.ends), this.material);
    for (const mark of [this.ring, this.tether]) {
      mark.frustumCulled = false;
      mark.renderOrder = 10;
      mark.visible = false;
      home.add(mark);
    }
  }

  wear(look: Look): void {
    this.material.color.set(LOOKS[look].ring);
  }

  /** Be seen with something else from now on. */
  moveTo(home: Object3D): void {
    if (home === this.home) return;
    this.home = home.add(this.ring, this.tether);
  }

  hide(): void {
    this.ring.visible = false;
    this.tether.visible = false;
  }

  /** A ring on the skin; a line from there to the hand where one holds it. */
  show(position: Vector3, normal: Vector3, radius: number, hand: Vector3 | null): void {
    this.material.opacity = hand ? 0.95 : 0.55;
    this.ring.visible = true;
    this.ring.position.copy(position).addScaledVector(normal, 0.02 * radius);
    this.ring.quaternion.setFromUnitVectors(FORWARD, normal);
    this.ring.scale.setScalar(radius);
    this.tether.visible = hand !== null;
    if (!hand) return;
    this.ends.setXYZ(0, position.x, position.y, position.z);
    this.ends.setXYZ(1, hand.x, hand.y, hand.z);
    this.ends.needsUpdate = true;
  }

  dispose(): void {
    this.home.remove(this.ring, this.tether);
    this.ring.geometry.dispose();
    this.tether.geometry.dispose();
    this.material.dispose();
  }
}
