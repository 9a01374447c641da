// Swell a limb: a click on the skin chooses the bone under it; rows say how thick, how much it leans, and where.
import { signal } from "@preact/signals";
import type { Stage } from "../scene/stage";
import { ask, state } from "../session";
import { AmountField } from "../ui/layers/amount";
import { plainName } from "../ui/words";
import { freeName } from "./names";
import { pixelOf, placeAt, type Tool } from "./tool";

const DEGREE = Math.PI / 180;
const WIDEST_FALLOFF = 3; // in radii of the limb, as the engine takes it
const figures = signal({ swell: 0.3, lean: 0, low: 0, high: 1, falloff: 0.3, profile: "bell" });
const current = signal<{ name: string; joint: string } | null>(null);

export class RadialTool implements Tool {
  readonly id = "radial";
  readonly name = "Swell a limb";
  readonly key = "W";
  readonly icon = "radial";
  readonly hint = "Click a limb: the skin round its bone swells, as a shape with a layer.";

  constructor(private readonly stage: Stage) {}

  down(event: PointerEvent): boolean {
    const place = placeAt(this.stage, pixelOf(this.stage, event));
    const { skin, joints } = this.stage;
    if (!place || !skin || !joints) return false;
    const nearest = place.points[place.shares.indexOf(Math.max(...place.shares))]!;
    const joint = joints.skeleton.names[skin.data.jointOfVertex[skin.data.vertexOfPoint[nearest]!]!]!;
    current.value = { name: freeName(joint), joint };
    tell(true);
    return true;
  }

  move(): void {}

  up(): void {}

  hover(): void {}

  lost(): void {
    current.value = null;
  }

  options() {
    return <Options />;
  }
}

function tell(done: boolean): void {
  if (current.value) ask({ do: "radial", ...current.value, ...figures.value, done });
}

function change(what: Partial<typeof figures.value>, done: boolean): void {
  figures.value = { ...figures.value, ...what };
  if (current.value && state.value?.edits.shapes.includes(current.value.name)) tell(done);
}

function Options() {
  const { swell, lean, low, high, falloff, profile } = figures.value;
  const shapes = state.value?.edits.shapes ?? [];
  const shape = current.value && shapes.includes(current.value.name) ? current.value.name : null;
  return (
    <>
      <p class="quiet">
        {shape ? `Changes ${shape}.` : "No limb is chosen yet. From and To are places along its bone."}
      </p>
      <AmountField
        name="radial swell"
        label="Size"
        unit="%"
        times={100}
        low={-80}
        high={120}
        value={swell}
        change={(value, done) => change({ swell: Math.max(-1, value) }, done)}
      />
      <AmountField
        name="radial lean"
        label="Lean"
        unit="°"
        low={-60}
        high={60}
        value={Math.round(lean / DEGREE)}
        change={(value, done) => change({ lean: value * DEGREE }, done)}
      />
      <AmountField
        name="radial low"
        label="From"
        unit="%"
        times={100}
        high={100}
        value={low}
        change={(value, done) => change({ low: Math.min(Math.max(0, value), high - 0.02) }, done)}
      />
      <AmountField
        name="radial high"
        label="To"
        unit="%"
        times={100}
        high={100}
        value={high}
        change={(value, done) => change({ high: Math.max(Math.min(1, value), low + 0.02) }, done)}
      />
      <AmountField
        name="radial falloff"
        label="Soft edge"
        unit="%"
        times={100}
        high={100}
        value={falloff}
        change={(value, done) => change({ falloff: Math.min(WIDEST_FALLOFF, Math.max(0, value)) }, done)}
      />
      <label class="line">
        <span class="quiet">Profile</span>
        <select value={profile} onChange={(event) => change({ profile: event.currentTarget.value }, true)}>
          {(state.value?.edits.profiles ?? []).map((name) => (
            <option key={name} value={name}>
              {plainName(name)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
