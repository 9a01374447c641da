// One of the characters on the stage: its skin, its bones, its floor with its shadow, and the frame that waits for it.
import type { ColoursFrame, JointsFrame, LinesFrame, MeshData, SkinFrame } from "../frames";
import type { SkeletonInfo } from "../messages";
import { Group, type PerspectiveCamera, Vector3, type WebGLRenderer } from "../three";
import { Arrows } from "./arrows";
import { Bones } from "./bones";
import { Floor } from "./floor";
import type { Look } from "./looks";
import type { Ramp } from "./ramps";
import { Skin } from "./skin";

export class Pane {
  readonly group = new Group();
  skin: Skin | null = null;
  joints: JointsFrame | null = null;
  readonly arrows: Arrows;
  private readonly floor: Floor;
  private bones: Bones | null = null;
  private waiting: SkinFrame | null = null;
  private colours: ColoursFrame | null = null;
  private shadowIsOld = false;
  private parts: readonly (readonly number[])[] = [];

  constructor(
    readonly number: number,
    private look: Look,
    private ramp: Ramp,
  ) {
    this.floor = new Floor(look);
    this.group.add(this.floor.mesh);
    this.arrows = new Arrows(this.group, look);
  }

  setMesh(number: number, data: MeshData, size: number): void {
    if (this.skin) this.group.remove(this.skin.mesh);
    this.skin?.dispose();
    this.skin = new Skin(number, data, this.floor.shadowUniforms, this.look);
    this.skin.mesh.visible = false;
    this.skin.setRamp(this.ramp);
    if (this.parts.length > 0) this.skin.colourRegion(this.parts);
    this.group.add(this.skin.mesh);
    this.floor.fit(size);
    this.arrows.hide();
    this.joints = null;
  }

  setSkeleton(skeleton: SkeletonInfo): void {
    if (this.bones) this.group.remove(this.bones.mesh);
    this.bones?.dispose();
    this.bones = new Bones(skeleton, this.look);
    this.bones.mesh.visible = false;
    this.group.add(this.bones.mesh);
    this.joints = null;
  }

  /** The newest frame; one that was not drawn yet gives way. */
  newest(frame: SkinFrame): void {
    this.waiting = frame;
  }

  /** Colours for the frame of the skin that comes next. */
  newestColours(frame: ColoursFrame): void {
    this.colours = frame;
  }

  /** Lines for the frame of the skin that comes next. */
  newestLines(frame: LinesFrame, heads: boolean): void {
    if (frame.mesh === this.skin?.number) this.arrows.newest(frame, heads);
  }

  /** Give the frame that waits to the skin; whether there was one of its mesh. */
  take(): boolean {
    const frame = this.waiting;
    if (!frame || frame.mesh !== this.skin?.number) return false;
    this.waiting = null;
    this.skin.show(frame);
    const coloured =
      this.colours?.frame === frame.frame && this.colours.values.length === this.skin.data.points;
    this.skin.colour(coloured ? this.colours!.values : null);
    this.skin.mesh.visible = true;
    this.shadowIsOld = true;
    return true;
  }

  /** Bones and shadow as they are in the frame that is shown. */
  prepare(renderer: WebGLRenderer, camera: PerspectiveCamera, bonesShown: boolean): void {
    this.arrows.prepare(camera);
    if (this.bones) {
      this.bones.mesh.visible = bonesShown && this.joints !== null;
      if (this.joints && bonesShown) this.bones.show(this.joints);
    }
    if (!this.skin?.frame || !this.shadowIsOld) return;
    this.shadowIsOld = false;
    const { x, z } = this.middle();
    this.floor.cast(renderer, this.skin, x, z);
  }

  colourRegion(parts: readonly (readonly number[])[]): void {
    this.parts = parts;
    this.skin?.colourRegion(parts);
  }

  setRamp(ramp: Ramp): void {
    this.ramp = ramp;
    this.skin?.setRamp(ramp);
  }

  wear(look: Look): void {
    this.look = look;
    this.bones?.wear(look);
    this.skin?.wear(look);
    this.floor.wear(look);
    this.arrows.wear(look);
  }

  /** The middle of the cube in which the skin lies [m]. */
  middle(): Vector3 {
    const { low, side } = this.skin!.frame!;
    return new Vector3(low[0] + side / 2, low[1] + side / 2, low[2] + side / 2);
  }

  dispose(): void {
    this.bones?.dispose();
    this.skin?.dispose();
    this.floor.dispose();
    this.arrows.dispose();
  }
}
