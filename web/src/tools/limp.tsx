// Limp: a click on a bone lets go of its muscles and of all that hangs on it, another one takes them up again.
import { computed, effect } from "@preact/signals";
import { pixelOfPlace } from "../scene/gizmo";
import { JointDots, LARGE, LIT, PINNED } from "../scene/joint_dots";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { ask, bonesShown, state, view } from "../session";
import { needJoints } from "../shown";
import type { Vector2 } from "../three";
import { jointPlaces } from "./joints";
import { pixelOf, type Tool } from "./tool";

const NEAR = 16; // [CSS pixels]: a bone this near to the pointer is meant
const MUSCLES = "muscles.strength";

/** What the skin that is shown says of its muscles, such as "0.7, LeftArm=0"; null where it has none. */
const strength = computed(
  () =>
    view.value?.stages.flatMap(({ settings }) => settings).find(({ name }) => name === MUSCLES)?.value ??
    null,
);

/** The joints that are limp, by name or because they hang on one that is. */
const limp = computed<ReadonlySet<number>>(() => {
  const skeleton = state.value?.skeleton;
  if (!skeleton || strength.value === null) return new Set();
  const pieces = String(strength.value)
    .split(",")
    .map((piece) => piece.trim().split("="));
  const all = Number(pieces.find(([, value]) => value === undefined)?.[0] ?? 1);
  const named = new Map(
    pieces.flatMap(([name, value]) => (value === undefined ? [] : [[name!, Number(value)]])),
  );
  const own = (joint: number): number => {
    const value = named.get(skeleton.names[joint]!);
    const parent = skeleton.parents[joint]!;
    return value ?? (parent < 0 ? all : own(parent));
  };
  return new Set(skeleton.names.flatMap((_, joint) => (own(joint) === 0 ? [joint] : [])));
});

export class LetLimp implements Tool {
  readonly id = "limp";
  readonly name = "Limp";
  readonly key = "L";
  readonly icon = "limp";
  readonly hint =
    "Click a bone and its muscles go slack, with all that hangs on it; click again and they hold.";
  private readonly dots: JointDots;
  private hovered: number | null = null;
  private within = false;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.dots = new JointDots(stage.scene, look);
    effect(() => {
      limp.value;
      stage.redraw();
    });
  }

  /** Only skins whose skeleton is simulated have muscles. */
  offered(): boolean {
    return strength.value !== null;
  }

  wear(look: Look): void {
    this.dots.wear(look);
  }

  enter(): void {
    this.within = true;
    needJoints(this.id, true);
    this.stage.showBones(true);
  }

  leave(): void {
    this.within = false;
    this.hovered = null;
    this.dots.hide();
    this.stage.canvas.classList.remove("on-joint");
    this.stage.canvas.title = "";
    needJoints(this.id, false);
    this.stage.showBones(bonesShown.value);
  }

  down(event: PointerEvent): boolean {
    const joint = this.boneUnder(pixelOf(this.stage, event));
    if (joint === null) return false;
    ask({ do: "limp", joint, view: view.value?.view ?? 0 });
    return true;
  }

  move(): void {}

  up(): void {}

  hover(event: PointerEvent | null): void {
    this.hovered = event && this.boneUnder(pixelOf(this.stage, event));
    this.stage.canvas.classList.toggle("on-joint", this.hovered !== null);
    this.stage.canvas.title = this.hovered === null ? "" : (state.value?.skeleton.names[this.hovered] ?? "");
  }

  update(): void {
    const places = jointPlaces(this.stage);
    if (!this.within || places.length === 0) return;
    const kinds = Uint8Array.from(
      places,
      (_, joint) => (limp.value.has(joint) ? LIT + PINNED : 0) + (joint === this.hovered ? LARGE : 0),
    );
    this.dots.show(places, kinds, this.stage.boxOf(this.stage.pane));
  }

  options() {
    const body = state.value?.skeleton.names.length ?? 0;
    const slack = limp.value.size > 0 && limp.value.size === body;
    return (
      <button
        type="button"
        class="button outlined"
        onClick={() => ask({ do: "limp", view: view.value?.view ?? 0 })}
      >
        {slack ? "Tense the whole body" : "Let the whole body go limp"}
      </button>
    );
  }

  /** The joint whose bone, on the way to the joints below it, is under a pixel. */
  private boneUnder(pixel: Vector2): number | null {
    const { parents } = this.stage.joints?.skeleton ?? { parents: [] as number[] };
    const places = jointPlaces(this.stage);
    if (places.length === 0 || strength.value === null) return null;
    const window = this.stage.boxOf(this.stage.pane);
    const seen = places.map((place) => pixelOfPlace(place, this.stage.viewer.camera, window));
    let [nearest, found] = [NEAR, null as number | null];
    const consider = (joint: number, away: number) => {
      if (away < nearest) [nearest, found] = [away, joint];
    };
    parents.forEach((parent, joint) => {
      if (parent >= 0) consider(parent, distanceToPiece(pixel, seen[parent]!, seen[joint]!));
      if (!parents.includes(joint)) consider(joint, seen[joint]!.distanceTo(pixel));
    });
    return found;
  }
}

function distanceToPiece(at: Vector2, from: Vector2, to: Vector2): number {
  const along = to.clone().sub(from);
  const square = along.lengthSq();
  const share = square > 0 ? Math.min(1, Math.max(0, at.clone().sub(from).dot(along) / square)) : 0;
  return from.clone().add(along.multiplyScalar(share)).distanceTo(at);
}
