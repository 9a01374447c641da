// The stage: one character or several beside each other, one camera, and when to draw them. Nothing is drawn twice.
import type { ColoursFrame, JointsFrame, LinesFrame, MeshData, SkinFrame } from "../frames";
import type { SkeletonInfo } from "../messages";
import { Scene, Vector3, type WebGLRenderer } from "../three";
import { jointAt } from "./bones";
import { Viewer, type ViewName } from "./camera";
import { FIRST_GHOST, Ghosts } from "./ghosts";
import { grid, gridFor, isTight, marginsFor, upright } from "./layout";
import type { Look } from "./looks";
import { Pane } from "./pane";
import { pick } from "./picking";
import type { Ramp } from "./ramps";
import { makeRenderer } from "./renderer";
import type { Place, Skin } from "./skin";
import { Things } from "./things";

const LONGEST_STEP = 0.1; // [s]
const LONGEST_GAP = 1; // between two frames of the body [s]
const SAME_SIZE = 0.01; // of two characters that need not be framed anew
const FIRST_LOOK = new Vector3(0.42, 0.14, 1);

/** A frame that came: which view it is of, and its number. */
export interface Arrived {
  view: number;
  frame: number;
}

export interface StageOptions {
  look: Look;
  software: boolean;
  /** Whether pictures are drawn; where not, all else goes on as if they were. */
  draws: boolean;
  calm: () => boolean;
  follows: () => boolean;
  /** Just before a picture, with the camera in its place. */
  beforePicture: () => void;
  /** After a picture; `frames` are those that need not be waited for any more. */
  afterPicture: (shown: SkinFrame | null, frames: readonly Arrived[]) => void;
}

/** The joints by name, and where they are in the last frame that came; null before one has. */
export interface Joints {
  skeleton: SkeletonInfo;
  frame: JointsFrame | null;
}

/** A part of the canvas in CSS pixels, from its upper left corner. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class Stage {
  /** What is seen in every pane; what is seen in one is in that pane's group. */
  readonly scene = new Scene();
  readonly viewer: Viewer;
  readonly things: Things;
  readonly panes: Pane[] = [];
  readonly ghosts: Ghosts;
  /** The pane that tools work in: the one that was last pointed at. */
  pane: Pane;
  private readonly renderer: WebGLRenderer;
  private skeleton: SkeletonInfo | null = null;
  private mesh: { number: number; data: MeshData } | null = null;
  private bonesShown = false;
  private scale = false; // of colours, beside the body
  private ramp: Ramp = "plain";
  private look: Look;
  private size = 1.8;
  private unsaid: Arrived[] = [];
  private dirty = true;
  private framed = false;
  private before = performance.now();
  private gone = 0; // for the body since the camera last followed it [s]
  private stopped = false; // whether the motion stood between the last two frames that were taken

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly options: StageOptions,
  ) {
    this.look = options.look;
    this.renderer = makeRenderer(canvas, options.software);
    this.viewer = new Viewer(canvas, options.calm);
    this.ghosts = new Ghosts(this.look);
    this.scene.add(this.ghosts.group);
    this.things = new Things(options.look);
    this.scene.add(this.things.group, this.things.shadows);
    this.pane = this.addPane();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    this.renderer.setAnimationLoop((now) => this.picture(now));
  }

  /** The skin that tools work on. */
  get skin(): Skin | null {
    return this.pane.skin;
  }

  /** The joints of the character that tools work on. */
  get joints(): Joints | null {
    return this.skeleton && { skeleton: this.skeleton, frame: this.pane.joints };
  }

  /** As many panes as there are characters to show. */
  setPanes(count: number): void {
    if (count === this.panes.length || count < 1) return;
    while (this.panes.length < count) this.addPane();
    for (const gone of this.panes.splice(count)) {
      this.scene.remove(gone.group);
      gone.dispose();
    }
    if (!this.panes.includes(this.pane)) this.pane = this.panes.at(-1)!;
    this.resize();
    this.frameFrom();
  }

  /** Other triangles, of which the frames to come are. */
  setMesh(number: number, data: MeshData, size: number): void {
    const again = this.mesh !== null && Math.abs(size / this.size - 1) < SAME_SIZE;
    this.mesh = { number, data };
    this.framed &&= again;
    this.size = size > 0 ? size : 1.8;
    for (const pane of this.panes) pane.setMesh(number, data, this.size);
    this.ghosts.setMesh(number, data);
    this.dirty = true;
  }

  /** Other joints, of which the frames to come are. */
  setSkeleton(skeleton: SkeletonInfo): void {
    if (JSON.stringify(skeleton) === JSON.stringify(this.skeleton)) return;
    this.skeleton = skeleton;
    for (const pane of this.panes) pane.setSkeleton(skeleton);
  }

  /** The newest frame of a view. */
  newest(frame: SkinFrame): void {
    if (frame.view >= FIRST_GHOST) this.ghosts.newest(frame);
    else this.panes[frame.view]?.newest(frame);
    this.unsaid.push({ view: frame.view, frame: frame.frame });
  }

  /** Where the joints are in the frame of the skin that comes next. */
  newestJoints(frame: JointsFrame): void {
    const pane = this.panes[frame.view];
    const fits = frame.transforms.length === 12 * (this.skeleton?.names.length ?? 0);
    if (pane && fits && frame.mesh === this.mesh?.number) pane.joints = frame;
  }

  /** Colours for the frame of the skin that comes next. */
  newestColours(frame: ColoursFrame): void {
    this.panes[frame.view]?.newestColours(frame);
  }

  /** Lines for the frame of the skin that comes next. */
  newestLines(frame: LinesFrame, heads: boolean): void {
    this.panes[frame.view]?.newestLines(frame, heads);
  }

  /** Without lines from the skins. */
  hideLines(): void {
    for (const pane of this.panes) pane.arrows.hide();
    this.dirty = true;
  }

  /** Whether a scale of colours stands over the stage, for which small ones keep room. */
  keepRoom(scale: boolean): void {
    if (scale === this.scale) return;
    this.scale = scale;
    this.resize();
  }

  /** Colour vertices of the skin by the part of a region that they are (`Skin.colourRegion`). */
  colourRegion(parts: readonly (readonly number[])[]): void {
    for (const pane of this.panes) pane.colourRegion(parts);
    this.dirty = true;
  }

  /** Which colours measures have. */
  setRamp(ramp: Ramp): void {
    this.ramp = ramp;
    for (const pane of this.panes) pane.setRamp(ramp);
    this.dirty = true;
  }

  /** Where a joint is [m], or null while nobody knows. */
  joint(index: number, into = new Vector3()): Vector3 | null {
    return this.pane.joints && jointAt(this.pane.joints, index, into);
  }

  showBones(shown: boolean): void {
    this.bonesShown = shown;
    this.dirty = true;
  }

  wear(look: Look): void {
    this.look = look;
    for (const pane of this.panes) pane.wear(look);
    this.ghosts.wear(look);
    this.things.wear(look);
    this.dirty = true;
  }

  redraw(): void {
    this.dirty = true;
  }

  /** The place of the skin that a ray from the camera meets. */
  pick(direction: Vector3): Place | null {
    return this.skin ? pick(this.skin, this.viewer.camera.position, direction) : null;
  }

  /** Where the camera is and what it looks at, both from the middle of the body [m]; null while there is none. */
  looked(): number[] | null {
    const middle = this.middle();
    if (!middle || !this.framed) return null;
    const { camera, controls, farther } = this.viewer;
    const offset = camera.position.clone().sub(controls.target).divideScalar(farther);
    const target = controls.target.clone().sub(middle);
    return [...offset.add(target), ...target];
  }

  /** Look from there; both places are from the middle of the body [m]. */
  lookFrom(position: readonly number[], target: readonly number[]): void {
    const middle = this.middle();
    if (!middle) return;
    const at = new Vector3(...target).add(middle);
    const offset = new Vector3(...position).sub(new Vector3(...target));
    this.viewer.goTo(at, offset.multiplyScalar(this.viewer.farther), true);
  }

  /** Draw once at another fineness, and as before when `seen` has looked at it. */
  drawAt(scale: number, seen: () => void): void {
    const before = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(scale);
    this.draw();
    seen();
    this.renderer.setPixelRatio(before);
    this.dirty = true;
  }

  frameCharacter(): void {
    this.frameFrom();
  }

  view(name: ViewName): void {
    this.viewer.view(name);
  }

  /** Where a pane is on the canvas. */
  boxOf(pane: Pane): Box {
    const { columns, rows, inset, right } = grid.peek();
    const width = (this.canvas.clientWidth - inset - right) / columns;
    const height = this.canvas.clientHeight / rows;
    const row = Math.floor(pane.number / columns);
    return { left: inset + (pane.number % columns) * width, top: row * height, width, height };
  }

  /** Let tools work in the pane that the pointer is over; it stays where it was beside all panes. */
  pointAt(event: PointerEvent): Pane {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const over = this.panes.find((pane) => {
      const box = this.boxOf(pane);
      return x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height;
    });
    this.pane = over ?? this.pane;
    return this.pane;
  }

  private addPane(): Pane {
    const pane = new Pane(this.panes.length, this.look, this.ramp);
    if (this.mesh) pane.setMesh(this.mesh.number, this.mesh.data, this.size);
    if (this.skeleton) pane.setSkeleton(this.skeleton);
    this.panes.push(pane);
    this.scene.add(pane.group);
    return pane;
  }

  private frameFrom(from?: Vector3, atOnce = false): void {
    const skin = this.panes.find((pane) => pane.skin?.frame)?.skin;
    if (!skin) return;
    const [low, high] = [new Vector3(), new Vector3()];
    skin.bounds(low, high);
    this.viewer.frame(low, high, from, atOnce);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    const count = this.panes.length;
    const { columns, rows, inset, right } = gridFor(count, clientWidth, clientHeight, this.scale);
    grid.value = { columns, rows, inset, right };
    upright.value = count > 1 || isTight(clientWidth, clientHeight);
    this.renderer.setSize(clientWidth, clientHeight, false);
    const margins = marginsFor(count, clientWidth, clientHeight, this.scale);
    this.viewer.resize((clientWidth - inset - right) / columns, clientHeight / rows, margins);
    this.dirty = true;
  }

  private picture(now: number): void {
    const seconds = Math.min(LONGEST_STEP, (now - this.before) / 1000);
    this.before = now;
    const isNew = this.take();
    const moved = this.lookOn(seconds);
    if (!isNew && !moved && !this.dirty) return;
    this.dirty = false;
    this.options.beforePicture();
    if (this.options.draws) this.draw();
    const said = this.unsaid;
    this.unsaid = [];
    this.options.afterPicture(this.skin?.frame ?? null, said);
  }

  private draw(): void {
    this.ghosts.prepare(this.shown()?.motionTime ?? 0);
    for (const pane of this.panes) pane.prepare(this.renderer, this.viewer.camera, this.bonesShown);
    this.renderer.setScissorTest(true);
    for (const pane of this.panes) {
      const { left, top, width, height } = this.boxOf(pane);
      const bottom = this.canvas.clientHeight - top - height;
      this.renderer.setViewport(left, bottom, width, height);
      this.renderer.setScissor(left, bottom, width, height);
      for (const one of this.panes) one.group.visible = one === pane;
      this.renderer.render(this.scene, this.viewer.camera);
    }
    this.renderer.setScissorTest(false);
  }

  /** Give frames that wait to the skins they are of; whether there was one. */
  private take(): boolean {
    if (this.canvas.clientHeight === 0) return false;
    const before = this.shown();
    const isNew = this.panes.map((pane) => pane.take()).includes(true);
    const shown = this.shown();
    this.gone += Math.min(LONGEST_GAP, Math.max(0, (shown?.fleshTime ?? 0) - (before?.fleshTime ?? 0)));
    if (shown !== before) this.stopped = before?.motionTime === shown?.motionTime;
    if (!isNew) this.dirty ||= this.unsaid.length > 0;
    else if (!this.framed) {
      this.frameFrom(FIRST_LOOK, true);
      this.viewer.stay(this.middle()!);
      this.framed = true;
    }
    return isNew;
  }

  private lookOn(seconds: number): boolean {
    const middle = this.middle();
    if (middle) {
      // By the clock of the body, not of the pictures: what comes unevenly is followed evenly.
      if (this.options.follows()) this.viewer.follow(middle, this.size, this.gone, this.stopped);
      else this.viewer.stay(middle);
      this.gone = 0;
    }
    return this.viewer.update(seconds);
  }

  /** The frame of the first character that is there. */
  private shown(): SkinFrame | null {
    return this.panes.find((pane) => pane.skin?.frame)?.skin?.frame ?? null;
  }

  /** Of the first character that is there, with which the camera goes along. */
  private middle(): Vector3 | null {
    return this.panes.find((pane) => pane.skin?.frame)?.middle() ?? null;
  }
}
