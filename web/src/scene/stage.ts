// The stage: skin, floor and camera, and when to draw them. Nothing is drawn twice.
import type { JointsFrame, MeshData, SkinFrame } from "../frames";
import type { SkeletonInfo } from "../messages";
import { Scene, Vector3, type WebGLRenderer } from "../three";
import { Bones, jointAt } from "./bones";
import { Viewer, type ViewName } from "./camera";
import { Floor } from "./floor";
import type { Look } from "./looks";
import { pick } from "./picking";
import { makeRenderer } from "./renderer";
import { type Place, Skin } from "./skin";

const LONGEST_STEP = 0.1; // [s]
const LONGEST_GAP = 1; // between two frames of the body [s]
const SAME_SIZE = 0.01; // of two characters that need not be framed anew
const FIRST_LOOK = new Vector3(0.42, 0.14, 1);

export interface StageOptions {
  look: Look;
  software: boolean;
  calm: () => boolean;
  follows: () => boolean;
  /** Just before a picture, with the camera in its place. */
  beforePicture: () => void;
  /** After a picture; `frames` are the numbers of frames that need not be waited for any more. */
  afterPicture: (shown: SkinFrame | null, frames: readonly number[]) => void;
}

/** The joints by name, and where they are in the last frame that came; null before one has. */
export interface Joints {
  skeleton: SkeletonInfo;
  frame: JointsFrame | null;
}

export class Stage {
  readonly scene = new Scene();
  readonly viewer: Viewer;
  skin: Skin | null = null;
  joints: Joints | null = null;
  private readonly renderer: WebGLRenderer;
  private readonly floor: Floor;
  private bones: Bones | null = null;
  private bonesShown = false;
  private look: Look;
  private size = 1.8;
  private waiting: SkinFrame | null = null;
  private unsaid: number[] = [];
  private dirty = true;
  private framed = false;
  private before = performance.now();
  private gone = 0; // for the body since the camera last followed it [s]

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly options: StageOptions,
  ) {
    this.look = options.look;
    this.renderer = makeRenderer(canvas, options.software);
    this.viewer = new Viewer(canvas, options.calm);
    this.floor = new Floor(options.look);
    this.scene.add(this.floor.mesh);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    this.renderer.setAnimationLoop((now) => this.picture(now));
  }

  /** Other triangles, of which the frames to come are. */
  setMesh(number: number, data: MeshData, size: number): void {
    const old = this.skin;
    this.skin = new Skin(number, data, this.floor.shadowUniforms, this.look);
    this.skin.mesh.visible = false;
    this.scene.add(this.skin.mesh);
    if (old) this.scene.remove(old.mesh);
    if (this.joints) this.joints.frame = null;
    old?.dispose();
    this.framed &&= old !== null && Math.abs(size / this.size - 1) < SAME_SIZE;
    this.size = size > 0 ? size : 1.8;
    this.floor.fit(this.size);
    this.dirty = true;
  }

  /** The newest frame; one that was not drawn yet gives way. */
  newest(frame: SkinFrame): void {
    this.waiting = frame;
    this.unsaid.push(frame.frame);
  }

  /** Other joints, of which the frames to come are. */
  setSkeleton(skeleton: SkeletonInfo): void {
    if (JSON.stringify(skeleton) === JSON.stringify(this.joints?.skeleton)) return;
    this.joints = { skeleton, frame: null };
    if (this.bones) this.scene.remove(this.bones.mesh);
    this.bones?.dispose();
    this.bones = new Bones(skeleton, this.look);
    this.bones.mesh.visible = false;
    this.scene.add(this.bones.mesh);
  }

  /** Where the joints are in the frame of the skin that comes next. */
  newestJoints(frame: JointsFrame): void {
    if (
      frame.mesh !== this.skin?.number ||
      frame.transforms.length !== 12 * (this.joints?.skeleton.names.length ?? 0)
    )
      return;
    this.joints!.frame = frame;
  }

  /** Where a joint is [m], or null while nobody knows. */
  joint(index: number, into = new Vector3()): Vector3 | null {
    const frame = this.joints?.frame;
    return frame ? jointAt(frame, index, into) : null;
  }

  showBones(shown: boolean): void {
    this.bonesShown = shown;
    this.dirty = true;
  }

  wear(look: Look): void {
    this.look = look;
    this.bones?.wear(look);
    this.skin?.wear(look);
    this.floor.wear(look);
    this.dirty = true;
  }

  redraw(): void {
    this.dirty = true;
  }

  /** The place of the skin that a ray from the camera meets. */
  pick(direction: Vector3): Place | null {
    return this.skin ? pick(this.skin, this.viewer.camera.position, direction) : null;
  }

  frameCharacter(): void {
    this.frameFrom();
  }

  view(name: ViewName): void {
    this.viewer.view(name);
  }

  private frameFrom(from?: Vector3, atOnce = false): void {
    if (!this.skin?.frame) return;
    const [low, high] = [new Vector3(), new Vector3()];
    this.skin.bounds(low, high);
    this.viewer.frame(low, high, from, atOnce);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.viewer.resize(clientWidth, clientHeight);
    this.dirty = true;
  }

  private picture(now: number): void {
    const seconds = Math.min(LONGEST_STEP, (now - this.before) / 1000);
    this.before = now;
    const isNew = this.take();
    const moved = this.lookOn(seconds);
    if (!isNew && !moved && !this.dirty) return;
    this.dirty = false;
    this.drawBones();
    this.options.beforePicture();
    if (this.skin?.frame && isNew) this.floor.cast(this.renderer, this.skin, ...this.middleOnFloor());
    this.renderer.render(this.scene, this.viewer.camera);
    const said = this.unsaid;
    this.unsaid = [];
    this.options.afterPicture(this.skin?.frame ?? null, said);
  }

  /** Give the frame that waits to the skin it is of; whether there was one. */
  private take(): boolean {
    const frame = this.waiting;
    if (!frame) return false;
    if (frame.mesh !== this.skin?.number || this.canvas.clientHeight === 0) {
      this.dirty ||= this.unsaid.length > 0;
      return false;
    }
    this.waiting = null;
    this.gone += Math.min(LONGEST_GAP, Math.max(0, frame.fleshTime - (this.skin.frame?.fleshTime ?? 0)));
    this.skin.show(frame);
    this.skin.mesh.visible = true;
    if (!this.framed) {
      this.frameFrom(FIRST_LOOK, true);
      this.viewer.stay(this.middle());
      this.framed = true;
    }
    return true;
  }

  private drawBones(): void {
    if (!this.bones) return;
    const frame = this.joints?.frame;
    this.bones.mesh.visible = this.bonesShown && Boolean(frame);
    if (this.bones.mesh.visible) this.bones.show(frame!);
  }

  private lookOn(seconds: number): boolean {
    if (this.skin?.frame) {
      // By the clock of the body, not of the pictures: what comes unevenly is followed evenly.
      if (this.options.follows()) this.viewer.follow(this.middle(), this.size, this.gone);
      else this.viewer.stay(this.middle());
      this.gone = 0;
    }
    return this.viewer.update(seconds);
  }

  private middle(): Vector3 {
    const { low, side } = this.skin!.frame!;
    return new Vector3(low[0] + side / 2, low[1] + side / 2, low[2] + side / 2);
  }

  private middleOnFloor(): [number, number] {
    const { x, z } = this.middle();
    return [x, z];
  }
}
