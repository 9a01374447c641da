// How the character is looked at: orbit, pan, zoom, roll, frame, views from three sides, parallel rays, and following.
import { MOUSE, OrbitControls, PerspectiveCamera, TOUCH, Vector3 } from "../three";
import type { Margins } from "./layout";

const FIELD = 32; // of view, up and down [degrees]
const PARALLEL = 0.2; // of view where rays are to be parallel [degrees]: from so far that nobody sees them part
const ROLL = Math.PI / 12; // at once [rad]
const NEAR = 0.01; // from where things are seen, in halves of the character
const FAR = 200; // and up to where
const OFF_POLE = 0.0088; // half a degree [rad]
const FOLLOW_RATE = 4; // [1/s]
const FOLLOW_STEP = 1 / 60; // [s]
const STILL = 1e-4; // of the body between two frames, in sizes
const JUMP = 0.5; // of the body between two frames, in sizes; the camera jumps along
const ROOM = 1.14; // about a character that fills the picture: it moves
const TURN_TIME = 0.28; // [s]
const TURN_PICTURES = 4; // at least, of a turn: where few are drawn it takes longer

export type ViewName = "front" | "side" | "top";

const FROM: Record<ViewName, Vector3> = {
  front: new Vector3(0, 0.06, 1),
  side: new Vector3(1, 0.06, 0),
  top: new Vector3(0, 1, 0.009),
};

export class Viewer {
  readonly camera = new PerspectiveCamera(FIELD, 1, 0.01, 200);
  readonly controls: OrbitControls;
  private readonly anchor = new Vector3();
  private readonly body = new Vector3(); // where it was seen last
  private readonly velocity = new Vector3();
  private anchored = false;
  private rolled = 0; // clockwise, as it is seen [rad]
  private free = { x: 1, y: 1 }; // how much of the picture is, across and up, in heights of it
  private depth = 1; // of what is looked at round its middle [m]
  private turn: { offset: Vector3; target: Vector3; left: number } | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly calm: () => boolean,
  ) {
    this.camera.position.set(1.6, 1.5, 4.2);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.enableDamping = !calm();
    this.controls.dampingFactor = 0.18;
    this.controls.minPolarAngle = OFF_POLE;
    this.controls.maxPolarAngle = Math.PI - OFF_POLE;
    this.controls.zoomSpeed = 0.9;
    this.controls.addEventListener("start", () => {
      this.turn = null;
    });
  }

  /** A picture of other size, of which something stands over the edges: what is looked at is in the middle between. */
  resize(width: number, height: number, { left, right, top }: Margins): void {
    const high = Math.max(1, height);
    this.camera.aspect = width / high;
    this.free = { x: Math.max(1, width - left - right) / high, y: Math.max(1, high - top) / high };
    if (left === right && top === 0) this.camera.clearViewOffset();
    else this.camera.setViewOffset(width, high, (right - left) / 2, -top / 2, width, high);
    this.camera.updateProjectionMatrix();
  }

  /** Whether rays are parallel. */
  get parallel(): boolean {
    return this.camera.fov < FIELD;
  }

  /** How far from the camera what is looked at lies [m]. */
  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** How much farther off the camera is than one with rays that part, for a picture of the same size. */
  get farther(): number {
    return this.parallel ? tangent(FIELD) / tangent(PARALLEL) : 1;
  }

  /** See with parallel rays, or with rays that part; what is looked at stays as large. */
  setParallel(parallel: boolean): void {
    if (parallel === this.parallel) return;
    const before = this.farther;
    this.camera.fov = parallel ? PARALLEL : FIELD;
    const by = this.farther / before;
    this.controls.minDistance *= by;
    this.controls.maxDistance *= by;
    this.turn?.offset.multiplyScalar(by);
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(by);
    this.camera.position.copy(this.controls.target).add(offset);
  }

  /** Turn the picture by a step, 1 clockwise, -1 the other way. */
  roll(steps: number): void {
    this.rolled += ROLL * steps;
  }

  /** Go along with the body, whose cube has its middle here; at once where it jumps.

   A critically damped follower with a velocity of its own, so that it does not lag behind a steady walk. Where the
   motion was stopped it comes to the body that stopped at once, and does not swing past it. */
  follow(middle: Vector3, size: number, seconds: number, stopped: boolean): void {
    if (!this.anchored) this.stay(middle);
    const before = this.anchor.clone();
    if (stopped && middle.distanceTo(this.body) < STILL * size) {
      this.velocity.set(0, 0, 0);
      this.anchor.lerp(this.body, 1 - Math.exp(-2 * FOLLOW_RATE * seconds));
    } else if (middle.distanceTo(this.anchor) < JUMP * size) this.followEvenly(middle, seconds);
    else this.anchor.copy(middle);
    this.body.copy(middle);
    const step = this.anchor.clone().sub(before);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.turn?.target.add(step);
  }

  /** In steps as short as a frame, between which the body goes evenly: the way is the same however often it is seen. */
  private followEvenly(middle: Vector3, seconds: number): void {
    const steps = Math.ceil(seconds / FOLLOW_STEP - 1e-6);
    const dt = seconds / steps;
    for (let i = 1; i <= steps; i++) {
      const off = this.body
        .clone()
        .lerp(middle, i / steps)
        .sub(this.anchor);
      this.velocity.addScaledVector(off, FOLLOW_RATE ** 2 * dt);
      this.anchor.addScaledVector(off, 2 * FOLLOW_RATE * dt).addScaledVector(this.velocity, dt);
    }
  }

  /** The body is somewhere else, and the camera stays where it is. */
  stay(middle: Vector3): void {
    this.anchor.copy(middle);
    this.body.copy(middle);
    this.velocity.set(0, 0, 0);
    this.anchored = true;
  }

  /** Look at a box so that it fills the picture, from where the camera is or from a named side. */
  frame(low: Vector3, high: Vector3, from?: Vector3, atOnce = false): void {
    const target = low.clone().add(high).multiplyScalar(0.5);
    const direction = (from ?? this.offset()).clone().normalize();
    const half = high.clone().sub(low).multiplyScalar(0.5);
    const right = new Vector3(direction.z, 0, -direction.x).normalize();
    const up = direction.clone().cross(right);
    const along = (axis: Vector3) =>
      half.x * Math.abs(axis.x) + half.y * Math.abs(axis.y) + half.z * Math.abs(axis.z);
    const nearest = Math.max(along(up) / this.free.y, along(right) / this.free.x) / tangent(this.camera.fov);
    const distance = ROOM * nearest + 0.5 * along(direction);
    this.goTo(target, direction.multiplyScalar(distance), atOnce);
    this.controls.minDistance = 0.05 * half.length() * this.farther;
    this.controls.maxDistance = 30 * half.length() * this.farther;
    this.depth = half.length();
    this.rolled = 0;
  }

  view(name: ViewName): void {
    this.rolled = 0;
    const target = (this.turn?.target ?? this.controls.target).clone();
    this.goTo(target, FROM[name].clone().setLength(this.offset().length()), false);
  }

  /** Before every picture; says whether the camera moved. */
  update(seconds: number): boolean {
    const before = this.camera.matrixWorld.clone();
    if (this.turn) this.goOn(this.turn, Math.min(seconds, TURN_TIME / TURN_PICTURES));
    this.controls.update();
    this.camera.rotateZ(this.rolled);
    this.seeAll();
    this.camera.updateMatrixWorld();
    return !this.camera.matrixWorld.equals(before);
  }

  /** Nothing that is there is too near or too far to be seen; from far away what is in front is empty. */
  private seeAll(): void {
    const { distance } = this;
    const near = this.parallel ? Math.max(0.5 * distance, distance - 60 * this.depth) : NEAR * this.depth;
    const far = this.parallel ? distance + FAR * this.depth : FAR * this.depth;
    if (near === this.camera.near && far === this.camera.far) return;
    Object.assign(this.camera, { near, far });
    this.camera.updateProjectionMatrix();
  }

  /** From what is looked at to the camera, as it is or as it is about to be. */
  private offset(): Vector3 {
    return this.turn?.offset.clone() ?? this.camera.position.clone().sub(this.controls.target);
  }

  /** Look at a place, from it plus an offset [m]. */
  goTo(target: Vector3, offset: Vector3, atOnce: boolean): void {
    this.turn = { target, offset, left: TURN_TIME };
    if (atOnce || this.calm()) this.turn.left = 0;
  }

  private goOn(turn: { offset: Vector3; target: Vector3; left: number }, seconds: number): void {
    const share = turn.left <= seconds ? 1 : 1 - (1 - seconds / turn.left) ** 3;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const length = offset.length() + share * (turn.offset.length() - offset.length());
    offset.normalize().lerp(turn.offset.clone().normalize(), share);
    if (offset.length() < 1e-3) offset.copy(turn.offset);
    this.controls.target.lerp(turn.target, share);
    this.camera.position.copy(this.controls.target).add(offset.setLength(length));
    turn.left -= seconds;
    if (turn.left <= 0) this.turn = null;
  }
}

function tangent(field: number): number {
  return Math.tan((field * Math.PI) / 360);
}
