// Waves: a line drawn on the skin, along which crests run; rows say how high, long, fast and wide they are.
import { computed, effect, signal } from "@preact/signals";
import { DrawnLine } from "../scene/drawn_line";
import type { Look } from "../scene/looks";
import type { Place } from "../scene/skin";
import type { Stage } from "../scene/stage";
import { ask, state } from "../session";
import { type Vector2, Vector3 } from "../three";
import { AmountField } from "../ui/layers/amount";
import { playhead } from "../ui/layers/choice";
import { freeName } from "./names";
import { movesOf, pixelOf, placeAt, type Tool } from "./tool";

const MOST = 400; // places of a line
const APART = 6; // [px]
const SIZES = { height: 0.012, wavelength: 0.14, speed: 0.3, width: 0.045 }; // in sizes of the character
const figures = signal(SIZES);
const driven = signal(false); // by forces, which springs pass on
const every = signal(0); // s after which a driven wave runs again; never at 0
const current = signal<string | null>(null);

const sizeOfAll = computed(() => state.value?.mesh.size || 1.8);

// Another character has waves of its own size.
effect(() => {
  const size = sizeOfAll.value;
  const { height, wavelength, speed, width } = SIZES;
  const rounded = (value: number) => Number((value * size).toPrecision(2));
  figures.value = {
    height: rounded(height),
    wavelength: rounded(wavelength),
    speed: rounded(speed),
    width: rounded(width),
  };
});

export class WaveTool implements Tool {
  readonly id = "wave";
  readonly name = "Wave along a line";
  readonly key = "V";
  readonly icon = "wave";
  readonly hint = "Draw a line on the skin: crests run along it.";
  private places: Place[] = [];
  private last: Vector2 | null = null;
  private readonly line: DrawnLine;

  constructor(
    private readonly stage: Stage,
    look: Look,
  ) {
    this.line = new DrawnLine(stage.scene, look, MOST);
  }

  wear(look: Look): void {
    this.line.wear(look);
  }

  down(event: PointerEvent): boolean {
    this.places = [];
    this.last = null;
    return this.add(event);
  }

  move(event: PointerEvent): void {
    for (const one of movesOf(event)) this.add(one);
  }

  up(_: PointerEvent, cancelled: boolean): void {
    const places = this.places;
    this.places = [];
    if (cancelled || places.length < 2) return;
    current.value = freeName("wave");
    ask({
      ...waveOf(current.value),
      triangles: places.map(({ triangle }) => triangle),
      shares: places.flatMap(({ shares }) => shares),
    });
  }

  hover(): void {}

  lost(): void {
    this.places = [];
  }

  leave(): void {
    this.lost();
    this.line.hide();
  }

  /** The line stays on the skin while it is drawn, however that moves. */
  update(): void {
    const { skin } = this.stage;
    if (!skin) return;
    const normal = new Vector3();
    this.line.show(
      this.places.map((place) => {
        const at = new Vector3();
        skin.surface(place, at, normal);
        return at;
      }),
    );
  }

  options() {
    return <Options />;
  }

  private add(event: PointerEvent): boolean {
    const pixel = pixelOf(this.stage, event);
    if (this.places.length >= MOST || (this.last && this.last.distanceTo(pixel) < APART)) return false;
    const place = placeAt(this.stage, pixel);
    if (!place) return false;
    this.last = pixel;
    this.places.push(place);
    return true;
  }
}

/** A wave along a stroke, as the rows say; one that forces drive starts at the playhead. */
function waveOf(stroke: string) {
  const forces = driven.value && (state.value?.edits.firm ?? false);
  const start = forces ? playhead() : 0;
  return { do: "wave", stroke, ...figures.value, driven: forces, start, every: every.value || null } as const;
}

/** Whether there is a wave along a stroke: one of forces has no shapes that are listed. */
function isWave(stroke: string): boolean {
  const { shapes = [], strokes = [] } = state.value?.edits ?? {};
  return shapes.includes(`${stroke} crest`) || (strokes.includes(stroke) && !shapes.includes(stroke));
}

function change(what: Partial<typeof figures.value>, done: boolean): void {
  figures.value = { ...figures.value, ...what };
  const stroke = current.value;
  if (stroke && isWave(stroke)) ask({ ...waveOf(stroke), done });
}

function Options() {
  const { height, wavelength, speed, width } = figures.value;
  const size = sizeOfAll.value;
  const { strokes = [], firm = false } = state.value?.edits ?? {};
  const least = (value: number) => Math.max(0.001, value);
  return (
    <>
      {strokes.length > 0 && (
        <label class="line">
          <span class="quiet">Line</span>
          <select
            value={current.value ?? ""}
            onChange={(event) => {
              current.value = event.currentTarget.value || null;
              if (current.value && !isWave(current.value)) ask(waveOf(current.value));
            }}
          >
            <option value="">the next one drawn</option>
            {strokes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <AmountField
        name="wave height"
        label="Height"
        unit="cm"
        times={100}
        high={6 * size}
        value={height}
        change={(value, done) => change({ height: value }, done)}
      />
      <AmountField
        name="wave length"
        label="Length"
        unit="cm"
        times={100}
        low={3 * size}
        high={60 * size}
        value={wavelength}
        change={(value, done) => change({ wavelength: least(value) }, done)}
      />
      <AmountField
        name="wave speed"
        label="Speed"
        unit="m/s"
        low={0.03 * size}
        high={1.2 * size}
        value={speed}
        change={(value, done) => change({ speed: least(value) }, done)}
      />
      <AmountField
        name="wave width"
        label="Width"
        unit="cm"
        times={100}
        low={0.6 * size}
        high={24 * size}
        value={width}
        change={(value, done) => change({ width: least(value) }, done)}
      />
      {firm && (
        <label class="check" title="Springs pass it on to the skin beside, which swings in its wake">
          <input
            type="checkbox"
            class="switch"
            role="switch"
            aria-checked={driven.value}
            checked={driven.value}
            onChange={(event) => {
              driven.value = event.currentTarget.checked;
              change({}, true);
            }}
          />
          <span>Driven by forces</span>
        </label>
      )}
      {firm && driven.value && (
        <AmountField
          name="wave every"
          label="Again after"
          unit="s"
          high={10}
          value={every.value}
          change={(value, done) => {
            every.value = Math.max(0, value);
            if (done) change({}, true);
          }}
        />
      )}
    </>
  );
}
