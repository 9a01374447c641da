// Pose joints: a click chooses one, its rings turn it, its square scales it, dragging it leads its limb, pins hold others.
import { effect, signal } from "@preact/signals";
import { Gizmo, pixelOfPlace, type RingHit } from "../scene/gizmo";
import { JointDots, LARGE, LIT, PINNED } from "../scene/joint_dots";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { ask, bonesShown, state } from "../session";
import { needJoints } from "../shown";
import { type Vector2, Vector3 } from "../three";
import { PoseOptions } from "../ui/pose_options";
import {
  fresh,
  jointAxes,
  jointPlaces,
  jointSize,
  jointUnder,
  LARGEST,
  limits,
  ON_IT,
  pins,
  posingOptions,
  reaches,
  SMALLEST,
  togglePin,
} from "./joints";
import { pixelOf, rayThrough, type Tool } from "./tool";

const SHORTEST_WAIT = 15; // between two commands of one drag [ms]
const CLICK = 3; // [CSS pixels] that a pointer may stray and still be a click
const EDGE_ON = 0.35; // cosine below which a ring is seen too much from its edge to follow it round

export const chosenJoint = signal<number | null>(null);

/** A pointer on its way, from where it went down to where it is. */
interface Drag {
  pointer: number;
  joint: number;
  from: Vector2;
  pixel: Vector2;
  moved: boolean;
  sent: { time: number; what: string } | null;
  turn: Turn | null;
  scale: Scale | null;
  depth: number; // of the plane on which the joint moves [m]
}

/** How large the joint was when the handle of its size was taken, and is now, times as at rest. */
interface Scale {
  time: number; // of the motion [s]
  from: number;
  size: number;
}

interface Turn {
  ring: number;
  axis: Vector3;
  spoke: Vector3;
  time: number; // of the motion when the ring was taken [s]
  angle: number; // [rad]
  last: number; // where on the ring the pointer was, as an angle
}

export class PoseJoints implements Tool {
  readonly id = "pose";
  readonly name = "Pose joints";
  readonly key = "J";
  readonly icon = "joint";
  readonly hint =
    "Click a joint, then drag a ring to turn it, the square to scale it, or itself to move its limb. P pins it.";
  private readonly dots: JointDots;
  private readonly gizmo: Gizmo;
  private hovered: number | null = null;
  private drag: Drag | null = null;
  private within = false;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.dots = new JointDots(stage.scene, look);
    this.gizmo = new Gizmo(stage.scene, look);
    effect(() => {
      pins.value;
      chosenJoint.value;
      stage.redraw();
    });
    let mesh = -1;
    effect(() => {
      const now = state.value?.mesh.mesh ?? -1;
      if (now === mesh) return;
      mesh = now;
      pins.value = new Set();
      limits.value = new Map();
      reaches.value = new Map();
      chosenJoint.value = null;
    });
  }

  wear(look: Look): void {
    this.dots.wear(look);
    this.gizmo.wear(look);
  }

  enter(): void {
    this.within = true;
    needJoints(this.id, true);
    this.stage.showBones(true);
  }

  leave(): void {
    this.within = false;
    this.lost();
    this.hovered = null;
    this.dots.hide();
    this.gizmo.hide();
    this.stage.canvas.classList.remove("on-joint", "holding");
    this.stage.canvas.title = "";
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
  }

  lost(): void {
    this.drag = null;
  }

  hear(key: string): boolean {
    const joint = chosenJoint.value ?? this.hovered;
    if (key === "P" && joint !== null) togglePin(joint);
    else if (key === "Escape" && chosenJoint.value !== null) chosenJoint.value = null;
    else return false;
    return true;
  }

  down(event: PointerEvent): boolean {
    if (this.drag) return false;
    const pixel = pixelOf(this.stage, event);
    const { camera } = this.stage.viewer;
    const [hit, under, onSize] = this.under(pixel);
    const joint = under ?? ((hit || onSize) && chosenJoint.value);
    if (joint === null || joint === false) return false;
    const place = this.stage.joint(joint)!;
    const forward = camera.getWorldDirection(new Vector3());
    this.drag = {
      pointer: event.pointerId,
      joint,
      from: pixel,
      pixel: pixel.clone(),
      moved: false,
      sent: null,
      turn: null,
      scale: null,
      depth: place.clone().sub(camera.position).dot(forward),
    };
    if (onSize) {
      const size = jointSize(this.stage, joint);
      this.drag.scale = { time: this.time(), from: size, size };
    } else if (under === null && hit) {
      const spoke = hit.at.clone().sub(this.gizmo.center);
      this.drag.turn = { ...hit, spoke, time: this.time(), angle: 0, last: 0 };
    }
    return true;
  }

  move(event: PointerEvent): void {
    const drag = this.drag;
    if (drag?.pointer !== event.pointerId) return;
    drag.pixel = pixelOf(this.stage, event);
    drag.moved ||= drag.pixel.distanceTo(drag.from) > CLICK;
    if (drag.turn && drag.moved) this.follow(drag, drag.turn);
    if (drag.scale && drag.moved) this.grow(drag, drag.scale);
  }

  up(event: PointerEvent): void {
    const drag = this.drag;
    if (drag?.pointer !== event.pointerId) return;
    this.drag = null;
    if (drag.moved) {
      this.tell(drag, true);
      fresh.value = false;
      if (!drag.turn) chosenJoint.value = drag.joint;
    } else if (!drag.turn && !drag.scale)
      chosenJoint.value = chosenJoint.value === drag.joint ? null : drag.joint;
  }

  hover(event: PointerEvent | null): void {
    const { canvas } = this.stage;
    const [hit, under, onSize] = event ? this.under(pixelOf(this.stage, event)) : [null, null, false];
    this.hovered = under;
    this.gizmo.light(onSize ? "size" : under === null && hit ? hit.ring : null);
    canvas.classList.toggle("on-joint", this.hovered !== null || hit !== null || onSize);
    canvas.title = this.hovered === null ? "" : (this.stage.joints?.skeleton.names[this.hovered] ?? "");
  }

  /** Before every picture. */
  update(): void {
    if (!this.within) return;
    const { stage, drag } = this;
    if (drag?.moved) this.tell(drag, false);
    const places = jointPlaces(stage);
    if (places.length === 0) {
      this.dots.hide();
      this.gizmo.hide();
      return;
    }
    const chosen = chosenJoint.value;
    const kinds = Uint8Array.from(places, (_, joint) => {
      const lit = joint === this.hovered || joint === chosen || joint === drag?.joint;
      const pinned = pins.value.has(joint);
      return (lit || pinned ? LIT : 0) + (pinned ? PINNED : 0) + (lit ? LARGE : 0);
    });
    this.dots.show(places, kinds, stage.boxOf(stage.pane));
    stage.canvas.classList.toggle("holding", drag !== null);
    if (chosen === null || (drag && !drag.turn && !drag.scale && drag.moved)) this.gizmo.hide();
    else
      this.gizmo.show(
        places[chosen]!,
        jointAxes(stage, chosen),
        stage.viewer.camera,
        stage.boxOf(stage.pane),
        drag?.turn && drag.moved ? drag.turn : null,
        drag?.scale && drag.moved ? drag.scale.size / drag.scale.from : null,
      );
  }

  options() {
    return <PoseOptions stage={this.stage} chosen={chosenJoint} />;
  }

  /** The ring and the joint that a pixel means, and whether it means the handle of the size instead.

   Where there is a ring only a joint is meant that is hit exactly. */
  private under(pixel: Vector2): [RingHit | null, number | null, boolean] {
    const { camera } = this.stage.viewer;
    const window = this.stage.boxOf(this.stage.pane);
    const chosen = chosenJoint.value !== null;
    if (chosen && this.gizmo.isOnSize(pixel, camera, window)) return [null, null, true];
    const hit = chosen ? this.gizmo.pick(pixel, camera, window) : null;
    return [hit, jointUnder(this.stage, pixel, hit ? ON_IT : undefined), false];
  }

  private time(): number {
    return this.stage.skin?.frame?.motionTime ?? 0;
  }

  /** How far the pointer has gone on the plane through the joint that faces the viewer, who may have gone along. */
  private wayOf(drag: Drag): Vector3 {
    const forward = this.stage.viewer.camera.getWorldDirection(new Vector3());
    const [from, to] = [drag.from, drag.pixel].map((pixel) => {
      const direction = rayThrough(this.stage, pixel);
      return direction.multiplyScalar(drag.depth / direction.dot(forward));
    });
    return to!.sub(from!);
  }

  /** Turn by how far the pointer has gone round the ring, or along it where that is seen from its edge. */
  private follow(drag: Drag, turn: Turn): void {
    const { camera } = this.stage.viewer;
    const center = this.gizmo.center;
    const towards = camera.position.clone().sub(center).normalize();
    if (Math.abs(towards.dot(turn.axis)) > EDGE_ON) {
      const direction = rayThrough(this.stage, drag.pixel);
      const distance = center.clone().sub(camera.position).dot(turn.axis) / direction.dot(turn.axis);
      const out = camera.position.clone().addScaledVector(direction, distance).sub(center);
      const side = new Vector3().crossVectors(turn.axis, turn.spoke);
      const now = Math.atan2(out.dot(side), out.dot(turn.spoke));
      let step = now - turn.last;
      if (step > Math.PI) step -= 2 * Math.PI;
      if (step < -Math.PI) step += 2 * Math.PI;
      turn.last = now;
      turn.angle += step;
      return;
    }
    const seen = (place: Vector3) => pixelOfPlace(place, camera, this.stage.boxOf(this.stage.pane));
    const at = center.clone().add(turn.spoke);
    const little = new Vector3().crossVectors(turn.axis, turn.spoke).multiplyScalar(0.01);
    const along = seen(at.clone().add(little)).sub(seen(at)).multiplyScalar(100); // pixels a radian
    turn.angle = drag.pixel.clone().sub(drag.from).dot(along) / Math.max(along.lengthSq(), 1e-6);
  }

  /** As much larger as the pointer is farther from the joint than where it took the handle. */
  private grow(drag: Drag, scale: Scale): void {
    const window = this.stage.boxOf(this.stage.pane);
    const center = pixelOfPlace(this.gizmo.center, this.stage.viewer.camera, window);
    const out = drag.from.clone().sub(center);
    const along = drag.pixel.clone().sub(center).dot(out) / Math.max(out.lengthSq(), 1e-6);
    scale.size = Math.min(LARGEST, Math.max(SMALLEST, scale.from * along));
  }

  private tell(drag: Drag, done: boolean): void {
    const now = performance.now();
    if (!done && drag.sent && now - drag.sent.time < SHORTEST_WAIT) {
      this.stage.redraw();
      return;
    }
    const { joint, turn, scale } = drag;
    const about = turn
      ? ({ do: "turn-joint", joint, axis: turn.axis.toArray(), angle: turn.angle } as const)
      : scale
        ? ({ do: "scale-joint", joint, size: scale.size } as const)
        : ({ do: "move-joint", joint, by: this.wayOf(drag).toArray() } as const);
    const time = turn?.time ?? scale?.time ?? this.time();
    const what = JSON.stringify([about, time]);
    if (!done && drag.sent?.what === what) return;
    if (ask({ ...about, ...posingOptions(time), done }) !== null) drag.sent = { time: now, what };
  }
}
