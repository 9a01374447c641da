// A round plane with a rim, seen through: where the skin of two bones is divided.
import {
  BufferAttribute,
  BufferGeometry,
  type Group,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  type Scene,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";

const SIDES = 48;
const FACING = new Vector3(0, 0, 1);

export class Disc {
  private readonly face: Mesh;
  private readonly rim: LineLoop;

  constructor(
    private readonly parent: Scene | Group,
    look: Look,
  ) {
    const round = Array.from({ length: SIDES }, (_, i) => {
      const angle = (2 * Math.PI * i) / SIDES;
      return [Math.cos(angle), Math.sin(angle), 0];
    });
    const fan = round.flatMap((at, i) => [0, 0, 0, ...at, ...round[(i + 1) % SIDES]!]);
    const geometry = (places: number[]) =>
      new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
    const seen = { transparent: true, depthTest: false, depthWrite: false };
    this.face = new Mesh(geometry(fan), new MeshBasicMaterial({ ...seen, side: 2 }));
    this.rim = new LineLoop(geometry(round.flat()), new LineBasicMaterial(seen));
    for (const part of this.parts) {
      part.renderOrder = 11;
      part.frustumCulled = false;
      parent.add(part);
    }
    this.wear(look);
  }

  wear(look: Look): void {
    for (const part of this.parts) (part.material as LineBasicMaterial).color.set(LOOKS[look].ring);
  }

  show(center: Vector3, normal: Vector3, radius: number, lit: boolean): void {
    for (const part of this.parts) {
      part.visible = true;
      part.position.copy(center);
      part.quaternion.setFromUnitVectors(FACING, normal);
      part.scale.setScalar(radius);
    }
    (this.face.material as MeshBasicMaterial).opacity = lit ? 0.3 : 0.08;
    (this.rim.material as LineBasicMaterial).opacity = lit ? 1 : 0.45;
  }

  hide(): void {
    for (const part of this.parts) part.visible = false;
  }

  dispose(): void {
    for (const part of this.parts) {
      this.parent.remove(part);
      part.geometry.dispose();
      (part.material as LineBasicMaterial).dispose();
    }
  }

  private get parts(): (Mesh | LineLoop)[] {
    return [this.face, this.rim];
  }
}
