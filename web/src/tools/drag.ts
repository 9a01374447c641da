// Drag flesh: a pointer that goes down on the skin takes hold of it; every pointer is a hand of its own.
import { effect } from "@preact/signals";
import type { Refused } from "../messages";
import type { Look } from "../scene/looks";
import { HandMark } from "../scene/marks";
import { pick } from "../scene/picking";
import type { Place } from "../scene/skin";
import type { Stage } from "../scene/stage";
import { ask, radius } from "../session";
import { Vector2, Vector3 } from "../three";

const MOST_HOVER_TRIANGLES = 60_000; // a ray through more costs more than a glance is worth
const SHORTEST_WAIT = 15; // between two commands of one hand or of two; more hands share what two may say [ms]

interface Hand {
  name: string;
  place: Place;
  vertices: [number, number, number];
  mesh: number;
  pixel: Vector2;
  depth: number; // of the plane it moves on, along the view [m]
  at: Vector3;
  sent: { at: Vector3; time: number; radius: number } | null;
  commands: Set<number>;
  mark: HandMark;
}

export class DragFlesh {
  private readonly hands = new Map<number, Hand>();
  private readonly hover: HandMark;
  private pointer: Vector2 | null = null;

  constructor(
    private readonly stage: Stage,
    private look: Look,
  ) {
    this.hover = new HandMark(stage.scene, look);
    const { canvas } = stage;
    // In the capture phase, so that a pointer on the skin never begins an orbit.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      canvas.addEventListener(end, (event) => this.up(event), { capture: true });
    }
    canvas.addEventListener("pointerleave", () => {
      this.pointer = null;
      stage.redraw();
    });
    effect(() => {
      radius.value;
      stage.redraw();
    });
  }

  wear(look: Look): void {
    this.look = look;
    this.hover.wear(look);
    for (const hand of this.hands.values()) hand.mark.wear(look);
  }

  /** Before every picture: hands stay under their pointers while the camera goes along, and marks on the skin. */
  update(): void {
    for (const [pointer, hand] of this.hands) {
      if (hand.mesh !== this.stage.skin?.number) this.letGo(pointer);
      else this.carry(hand);
    }
    this.updateHover();
  }

  /** A hand whose command was refused opens. */
  refused({ seq }: Refused): void {
    for (const [pointer, hand] of this.hands) if (hand.commands.has(seq)) this.letGo(pointer);
  }

  letGoAll(): void {
    for (const pointer of [...this.hands.keys()]) this.letGo(pointer);
  }

  private down(event: PointerEvent): void {
    // Keys are the stage's again, not those of a field that was typed into.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    if (event.button !== 0 || event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
    const { skin, viewer, canvas } = this.stage;
    const place = this.placeAt(this.pixelOf(event));
    if (!skin || !place) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    const [at, normal] = [new Vector3(), new Vector3()];
    skin.surface(place, at, normal);
    const forward = viewer.camera.getWorldDirection(new Vector3());
    this.hands.set(event.pointerId, {
      name: `pointer-${event.pointerId}`,
      place,
      vertices: place.points.map((point) => skin.data.vertexOfPoint[point]!) as [number, number, number],
      mesh: skin.number,
      pixel: this.pixelOf(event),
      depth: at.clone().sub(viewer.camera.position).dot(forward),
      at,
      sent: null,
      commands: new Set(),
      mark: new HandMark(this.stage.scene, this.look),
    });
    this.stage.redraw();
  }

  private move(event: PointerEvent): void {
    const hand = this.hands.get(event.pointerId);
    if (hand) {
      event.stopImmediatePropagation();
      hand.pixel = this.pixelOf(event);
    } else if (event.buttons === 0 && event.pointerType !== "touch") this.pointer = this.pixelOf(event);
    else this.pointer = null;
    this.stage.redraw();
  }

  private up(event: PointerEvent): void {
    if (!this.hands.has(event.pointerId)) return;
    event.stopImmediatePropagation();
    this.letGo(event.pointerId);
  }

  private letGo(pointer: number): void {
    const hand = this.hands.get(pointer);
    if (!hand) return;
    this.hands.delete(pointer);
    hand.mark.dispose();
    if (hand.sent) ask({ do: "let-go", hand: hand.name });
    if (this.stage.canvas.hasPointerCapture(pointer)) this.stage.canvas.releasePointerCapture(pointer);
    this.stage.redraw();
  }

  private carry(hand: Hand): void {
    const { skin, viewer } = this.stage;
    const direction = this.rayThrough(hand.pixel);
    const forward = viewer.camera.getWorldDirection(new Vector3());
    hand.at.copy(viewer.camera.position).addScaledVector(direction, hand.depth / direction.dot(forward));
    this.tell(hand);
    const [position, normal] = [new Vector3(), new Vector3()];
    skin!.surface(hand.place, position, normal);
    hand.mark.show(position, normal, radius.value, hand.at);
  }

  private tell(hand: Hand): void {
    const now = performance.now();
    const last = hand.sent;
    const same = last && last.at.distanceTo(hand.at) < 1e-5 && last.radius === radius.value;
    if (same) return;
    if (last && now - last.time < SHORTEST_WAIT * Math.max(1, this.hands.size / 2)) {
      this.stage.redraw();
      return;
    }
    const seq = ask({
      do: "hold",
      hand: hand.name,
      vertices: hand.vertices,
      shares: hand.place.shares,
      to: hand.at.toArray(),
      radius: radius.value,
    });
    if (seq === null) return;
    hand.sent = { at: hand.at.clone(), time: now, radius: radius.value };
    hand.commands.add(seq);
  }

  private updateHover(): void {
    const { skin, canvas } = this.stage;
    const place =
      this.pointer && skin && skin.data.triangles.length / 3 < MOST_HOVER_TRIANGLES && this.hands.size === 0
        ? this.placeAt(this.pointer)
        : null;
    canvas.classList.toggle("on-skin", place !== null);
    canvas.classList.toggle("holding", this.hands.size > 0);
    if (!place || !skin) {
      this.hover.hide();
      return;
    }
    const [position, normal] = [new Vector3(), new Vector3()];
    skin.surface(place, position, normal);
    this.hover.show(position, normal, radius.value, null);
  }

  private placeAt(pixel: Vector2): Place | null {
    const { skin, viewer } = this.stage;
    return skin ? pick(skin, viewer.camera.position, this.rayThrough(pixel)) : null;
  }

  /** The direction of the view through a pixel, a unit vector. */
  private rayThrough(pixel: Vector2): Vector3 {
    const { clientWidth, clientHeight } = this.stage.canvas;
    const { camera } = this.stage.viewer;
    return new Vector3((2 * pixel.x) / clientWidth - 1, 1 - (2 * pixel.y) / clientHeight, 0.5)
      .unproject(camera)
      .sub(camera.position)
      .normalize();
  }

  private pixelOf(event: PointerEvent): Vector2 {
    const box = this.stage.canvas.getBoundingClientRect();
    return new Vector2(event.clientX - box.left, event.clientY - box.top);
  }
}
