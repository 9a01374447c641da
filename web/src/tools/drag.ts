// Drag flesh: a pointer that goes down on the skin takes hold of it; every pointer is a hand of its own.
import { effect } from "@preact/signals";
import { rootOf } from "../frames";
import type { Refused } from "../messages";
import type { Look } from "../scene/looks";
import { HandMark } from "../scene/marks";
import type { Pane } from "../scene/pane";
import type { Place } from "../scene/skin";
import type { Stage } from "../scene/stage";
import { ask, following, radius } from "../session";
import { type Vector2, Vector3 } from "../three";
import { DragOptions, holding, keepShape, lastHeld, pushing } from "../ui/drag_options";
import { pixelOf, placeAt, rayThrough, type Tool } from "./tool";

const MOST_HOVER_TRIANGLES = 60_000; // a ray through more costs more than a glance is worth
const PUSH = 400; // [N/m]
const SHORTEST_WAIT = 15; // between two commands of one hand or of two; more hands share what two may say [ms]

interface Hand {
  name: string;
  place: Place;
  vertices: [number, number, number];
  mesh: number;
  way: Vector3; // of its pointer, seen from the camera: a stage that changes its size moves no hand
  depth: number; // of the plane it moves on, along the view [m]
  at: Vector3;
  sent: { to: Vector3; along: boolean; time: number; radius: number } | null;
  commands: Set<number>;
  mark: HandMark;
  pane: Pane; // in which it is
}

export class DragFlesh implements Tool {
  readonly id = "drag";
  readonly name = "Drag flesh";
  readonly key = "G";
  readonly icon = "hand";
  readonly hint = "Press on the skin and drag; several fingers are several hands.";
  options = DragOptions;
  private readonly hands = new Map<number, Hand>();
  private readonly hoverMark: HandMark;
  private pointer: Vector2 | null = null;

  constructor(
    private readonly stage: Stage,
    private look: Look,
  ) {
    this.hoverMark = new HandMark(stage.scene, look);
    effect(() => {
      radius.value;
      stage.redraw();
    });
  }

  wear(look: Look): void {
    this.look = look;
    this.hoverMark.wear(look);
    for (const hand of this.hands.values()) hand.mark.wear(look);
  }

  /** Before every picture: hands stay under their pointers while the camera goes along, and marks on the skin. */
  update(): void {
    for (const [pointer, hand] of this.hands) {
      if (hand.mesh !== hand.pane.skin?.number || !this.stage.panes.includes(hand.pane)) this.letGo(pointer);
      else this.carry(hand);
    }
    this.updateHover();
  }

  /** How far hands are from the places that they hold in the frame that is shown, at most [m]. */
  farthest(): number {
    const [position, normal] = [new Vector3(), new Vector3()];
    const off = [...this.hands.values()].map(({ pane, place, at }) => {
      pane.skin!.surface(place, position, normal);
      return position.distanceTo(at);
    });
    return Math.max(0, ...off);
  }

  /** A hand whose command was refused opens. */
  refused({ seq }: Refused): void {
    for (const [pointer, hand] of this.hands) if (hand.commands.has(seq)) this.letGo(pointer);
  }

  lost(): void {
    for (const pointer of [...this.hands.keys()]) this.letGo(pointer);
  }

  down(event: PointerEvent): boolean {
    const { pane, skin, viewer } = this.stage;
    const pixel = pixelOf(this.stage, event);
    const place = placeAt(this.stage, pixel);
    if (!skin || !place) return false;
    const [at, normal] = [new Vector3(), new Vector3()];
    skin.surface(place, at, normal);
    const forward = viewer.camera.getWorldDirection(new Vector3());
    holding.value = true;
    const nearest = place.shares.indexOf(Math.max(...place.shares));
    lastHeld.value = skin.data.vertexOfPoint[place.points[nearest]!]!;
    this.hands.set(event.pointerId, {
      name: `pointer-${event.pointerId}`,
      place,
      vertices: place.points.map((point) => skin.data.vertexOfPoint[point]!) as [number, number, number],
      mesh: skin.number,
      way: this.wayThrough(pixel),
      depth: at.clone().sub(viewer.camera.position).dot(forward),
      at,
      sent: null,
      commands: new Set(),
      mark: new HandMark(pane.group, this.look),
      pane,
    });
    return true;
  }

  move(event: PointerEvent): void {
    const hand = this.hands.get(event.pointerId);
    if (!hand) return;
    hand.way = this.wayThrough(pixelOf(this.stage, event, hand.pane));
    if (hand.mesh === hand.pane.skin?.number) this.carry(hand);
  }

  up(event: PointerEvent): void {
    this.letGo(event.pointerId);
  }

  hear(key: string): boolean {
    if (key !== "Enter" || this.hands.size === 0) return false;
    keepShape();
    return true;
  }

  hover(event: PointerEvent | null): void {
    this.pointer = event && pixelOf(this.stage, event);
  }

  leave(): void {
    this.lost();
    this.pointer = null;
    this.hoverMark.hide();
    this.stage.canvas.classList.remove("on-skin", "holding");
  }

  private letGo(pointer: number): void {
    const hand = this.hands.get(pointer);
    if (!hand) return;
    this.hands.delete(pointer);
    holding.value = this.hands.size > 0;
    hand.mark.dispose();
    if (hand.sent) ask({ do: "let-go", hand: hand.name });
    this.stage.redraw();
  }

  private wayThrough(pixel: Vector2): Vector3 {
    const turn = this.stage.viewer.camera.quaternion.clone().invert();
    return rayThrough(this.stage, pixel).applyQuaternion(turn);
  }

  private carry(hand: Hand): void {
    const { viewer } = this.stage;
    const direction = hand.way.clone().applyQuaternion(viewer.camera.quaternion);
    const forward = viewer.camera.getWorldDirection(new Vector3());
    hand.at.copy(viewer.camera.position).addScaledVector(direction, hand.depth / direction.dot(forward));
    this.tell(hand);
    const [position, normal] = [new Vector3(), new Vector3()];
    hand.pane.skin!.surface(hand.place, position, normal);
    hand.mark.show(position, normal, radius.value, hand.at);
  }

  private tell(hand: Hand): void {
    const now = performance.now();
    const last = hand.sent;
    // While the camera goes along with the body so does the hand, however long a command is on its way.
    const frame = hand.pane.skin!.frame!;
    const along = following.value;
    const to = hand.at.clone();
    if (along) to.sub(new Vector3(...rootOf(frame)));
    const same =
      last && last.along === along && last.to.distanceTo(to) < 1e-5 && last.radius === radius.value;
    if (same) return;
    if (last && now - last.time < SHORTEST_WAIT * Math.max(1, this.hands.size / 2)) {
      this.stage.redraw();
      return;
    }
    const force = pushing.value ? this.push(hand) : null;
    const seq = ask({
      do: "hold",
      hand: hand.name,
      vertices: hand.vertices,
      shares: hand.place.shares,
      to: to.toArray(),
      along: along && !force ? frame.frame : null,
      force,
      radius: radius.value,
      view: hand.pane.number,
    });
    if (seq === null) return;
    hand.sent = { to, along, time: now, radius: radius.value };
    hand.commands.add(seq);
  }

  /** The force of a hand [N], the harder the farther it is from its place. */
  private push({ pane, place, at }: Hand): [number, number, number] {
    const [position, normal] = [new Vector3(), new Vector3()];
    pane.skin!.surface(place, position, normal);
    return at.clone().sub(position).multiplyScalar(PUSH).toArray();
  }

  private updateHover(): void {
    const { skin, canvas } = this.stage;
    const place =
      this.pointer && skin && skin.data.triangles.length / 3 < MOST_HOVER_TRIANGLES && this.hands.size === 0
        ? placeAt(this.stage, this.pointer)
        : null;
    canvas.classList.toggle("on-skin", place !== null);
    canvas.classList.toggle("holding", this.hands.size > 0);
    if (!place || !skin) {
      this.hoverMark.hide();
      return;
    }
    const [position, normal] = [new Vector3(), new Vector3()];
    skin.surface(place, position, normal);
    this.hoverMark.moveTo(this.stage.pane.group);
    this.hoverMark.show(position, normal, radius.value, null);
  }
}
