// The bones: from every joint's parent to itself, as slim as a needle, seen through the skin.
import type { JointsFrame } from "../frames";
import type { SkeletonInfo } from "../messages";
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Mesh,
  MeshBasicMaterial,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";

const CORNERS = 6; // of a bone: its two ends, and four about it where it is widest
const FACES = [0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 2, 1, 3, 2, 1, 4, 3, 1, 5, 4, 1, 2, 5];
const WIDEST_AT = 0.16; // of its length
const WIDTH = 0.055; // of its length

/** Where a joint is [m]. */
export function jointAt({ transforms }: JointsFrame, joint: number, into: Vector3): Vector3 {
  const at = 12 * joint;
  return into.set(transforms[at + 3]!, transforms[at + 7]!, transforms[at + 11]!);
}

export class Bones {
  readonly mesh: Mesh;
  private readonly material: MeshBasicMaterial;
  private readonly positions: BufferAttribute;
  private readonly ends: [parent: number, joint: number][];

  constructor(skeleton: SkeletonInfo, look: Look) {
    this.ends = skeleton.parents
      .map((parent, joint): [number, number] => [parent, joint])
      .filter(([parent]) => parent >= 0);
    const count = this.ends.length;
    this.positions = new BufferAttribute(new Float32Array(3 * CORNERS * count), 3).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry().setAttribute("position", this.positions);
    geometry.setIndex(this.ends.flatMap((_, bone) => FACES.map((corner) => CORNERS * bone + corner)));
    this.material = new MeshBasicMaterial({ transparent: true, opacity: 0.62, depthTest: false });
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
    this.wear(look);
  }

  wear(look: Look): void {
    this.material.color.set(LOOKS[look].bones);
  }

  show(frame: JointsFrame): void {
    const [from, to, along, side, up, corner] = Array.from({ length: 6 }, () => new Vector3()) as [
      Vector3,
      Vector3,
      Vector3,
      Vector3,
      Vector3,
      Vector3,
    ];
    this.ends.forEach(([parent, joint], bone) => {
      jointAt(frame, parent, from);
      along.subVectors(jointAt(frame, joint, to), from);
      side.set(Math.abs(along.y) > 0.9 * along.length() ? 1 : 0, 0, 0);
      if (side.x === 0) side.y = 1;
      up.crossVectors(along, side).setLength(WIDTH * along.length());
      side.crossVectors(up, along).setLength(WIDTH * along.length());
      const at = CORNERS * bone;
      this.positions.setXYZ(at, from.x, from.y, from.z);
      this.positions.setXYZ(at + 1, to.x, to.y, to.z);
      from.addScaledVector(along, WIDEST_AT);
      [side, up, side, up].forEach((out, i) => {
        corner.copy(from).addScaledVector(out, i < 2 ? 1 : -1);
        this.positions.setXYZ(at + 2 + i, corner.x, corner.y, corner.z);
      });
    });
    this.positions.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
