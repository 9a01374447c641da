// Rows of the tools that draw on the skin, and the strokes that were drawn.
import type { Signal } from "@preact/signals";
import type { StrokeInfo } from "../../messages";
import { notSoon, soon } from "../../pace";
import { PARTS } from "../../scene/parts";
import { ask, state } from "../../session";
import { Icon } from "../../ui/icons";
import { plainName } from "../../ui/words";
import { timed } from "./gesture";
import { region, regionShown, setWidth, WIDEST, widthOfChosen } from "./region";
import {
  chooseStroke,
  chosenKnot,
  chosenStroke,
  creases,
  force,
  forced,
  height,
  insertAfter,
  isHidden,
  layerOf,
  METHODS,
  method,
  otherWay,
  profile,
  reach,
  size,
  strokes,
  USUAL_PROFILES,
} from "./settings";

const HIGHEST = 0.06; // in sizes of the character
const STEP = 0.0005;

export function RaiseOptions() {
  return (
    <div class="stroke-options">
      <Length
        label="Height"
        title="Under a pen that is pressed all the way; a mouse presses half as hard. Below zero it dents."
        value={height}
        low={-HIGHEST}
        high={HIGHEST}
      />
      <RegionRows />
      <Choice label="Profile" title="How the height goes along the line" value={profile} all={profiles()} />
      {state.value?.edits.firm && (
        <Switch
          label="As a force"
          title="The line alone is held, and skin round it follows by its springs"
          value={forced}
        />
      )}
      {state.value?.edits.firm && forced.value && (
        <label class="chooser" title="How many times as hard as springs are">
          <span>Force</span>
          <input
            type="range"
            min={1}
            max={100}
            step={1}
            value={force.value}
            onInput={(event) => {
              force.value = Number(event.currentTarget.value);
            }}
          />
          <span class="quiet figure">{force.value} ×</span>
        </label>
      )}
      <Strokes />
    </div>
  );
}

export function OutlineOptions() {
  return (
    <div class="stroke-options">
      <RegionRows />
      <Switch
        label="Creases"
        title="Lines along which skin is sharply bent can be drawn anew too"
        value={creases}
      />
      <Switch
        label="Other way round"
        title="Take the outline the other way round between the ends of the line"
        value={otherWay}
      />
      <Strokes />
    </div>
  );
}

function profiles(): readonly string[] {
  const all = state.value?.edits.profiles ?? [];
  return [...USUAL_PROFILES, ...all.filter((name) => !USUAL_PROFILES.some((usual) => usual === name))];
}

function RegionRows() {
  return (
    <>
      <Length
        label="Width"
        title="How far round the line skin follows"
        value={reach}
        low={STEP}
        high={WIDEST}
      />
      <Choice
        label="Solver"
        title="Smooth swells like a plate, rigid turns, Laplacian keeps detail"
        value={method}
        all={METHODS}
      />
    </>
  );
}

const centimetres = (metres: number) => `${(100 * metres).toFixed(1)} cm`;

function Length(given: { label: string; title: string; value: Signal<number>; low: number; high: number }) {
  const { label, title, value, low, high } = given;
  return (
    <label class="chooser" title={title}>
      <span>{label}</span>
      <input
        type="range"
        min={low}
        max={high}
        step={STEP}
        value={value.value}
        aria-valuetext={centimetres(value.value * size.value)}
        onInput={(event) => {
          value.value = Number(event.currentTarget.value);
        }}
      />
      <span class="quiet figure">{centimetres(value.value * size.value)}</span>
    </label>
  );
}

function Choice(given: { label: string; title: string; value: Signal<string>; all: readonly string[] }) {
  const { label, title, value, all } = given;
  return (
    <label class="chooser" title={title}>
      <span>{label}</span>
      <select
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value;
        }}
      >
        {all.map((name) => (
          <option key={name} value={name}>
            {plainName(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Switch({ label, title, value }: { label: string; title: string; value: Signal<boolean> }) {
  return (
    <label class="check" title={title}>
      <input
        type="checkbox"
        class="switch"
        role="switch"
        aria-checked={value.value}
        checked={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.checked;
        }}
      />
      <span>{label}</span>
    </label>
  );
}

/** The strokes that were drawn, the last one first; the chosen one with its height and amount. */
function Strokes() {
  if (strokes.value.length === 0) return null;
  return (
    <ul class="strokes" aria-label="Strokes on the skin">
      {[...strokes.value].reverse().map((stroke) => (
        <li key={stroke.name}>
          <StrokeRow stroke={stroke} />
          {stroke.name === chosenStroke.value?.name && <ChosenStroke stroke={stroke} />}
        </li>
      ))}
    </ul>
  );
}

function StrokeRow({ stroke }: { stroke: StrokeInfo }) {
  const { name } = stroke;
  const hidden = isHidden(stroke);
  const layer = layerOf(stroke);
  return (
    <div class="stroke-row">
      <button
        type="button"
        class="button stroke-name"
        aria-pressed={name === chosenStroke.value?.name}
        onClick={() => chooseStroke(name)}
      >
        {name}
      </button>
      <button
        type="button"
        class="button small"
        aria-pressed={!hidden}
        aria-label={`${hidden ? "Show" : "Hide"} ${name}`}
        title={hidden ? "Show" : "Hide"}
        disabled={!layer}
        onClick={() => layer && ask({ do: "change-layer", layer: layer.name, mute: !hidden })}
      >
        <Icon name={hidden ? "eyeShut" : "eye"} />
      </button>
      <button
        type="button"
        class="button small"
        aria-label={`Delete ${name}`}
        title="Delete"
        onClick={() => ask({ do: "delete-stroke", stroke: name })}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

function ChosenStroke({ stroke }: { stroke: StrokeInfo }) {
  const layer = layerOf(stroke);
  const knot = chosenKnot.value;
  const rise = (value: number, done: boolean) =>
    ask({ do: "change-height", stroke: stroke.name, height: value, done });
  return (
    <div class="stroke-options">
      <Live
        label="Height"
        value={stroke.height}
        low={-HIGHEST * size.value}
        high={HIGHEST * size.value}
        shown={centimetres}
        change={rise}
      />
      <Width />
      {layer && (
        <Live
          label="Amount"
          value={layer.amount}
          low={0}
          high={2}
          shown={(amount) => `${Math.round(100 * amount)} %`}
          change={(amount, done) => ask({ do: "change-layer", layer: layer.name, amount, done })}
        />
      )}
      <div class="button-row">
        <button
          type="button"
          class="button outlined"
          title="Put it on the other side of the body too"
          onClick={() => ask({ do: "mirror-stroke", stroke: stroke.name })}
        >
          Mirror
        </button>
        <button
          type="button"
          class="button outlined"
          aria-pressed={timed.value === stroke.name}
          title="Press on the stage and go up and down while it plays: up is all of it, down is none"
          onClick={() => {
            timed.value = timed.value === stroke.name ? null : stroke.name;
          }}
        >
          Time it by hand
        </button>
      </div>
      {timed.value === stroke.name && (
        <p class="quiet">Now press on the stage and go up and down while it plays: up is all of it.</p>
      )}
      {knot !== null && knot + 1 < stroke.triangles.length && (
        <button
          type="button"
          class="button outlined"
          onClick={() => {
            insertAfter.value = knot;
          }}
        >
          Insert a knot after {knot + 1}
        </button>
      )}
      {knot !== null && (
        <button
          type="button"
          class="button outlined"
          onClick={() => {
            ask({ do: "delete-knot", stroke: stroke.name, knot });
            chosenKnot.value = null;
          }}
        >
          Delete knot {knot + 1} of {stroke.triangles.length}
        </button>
      )}
    </div>
  );
}

/** How far round the chosen stroke skin follows, and which: its colours, where they are shown. */
function Width() {
  const width = widthOfChosen();
  return (
    <>
      <Switch
        label="Show what follows"
        title="Skin under the line, skin that follows it, and the ring that stays, in three colours"
        value={regionShown}
      />
      {region.value && width !== null && (
        <>
          <Live
            label="Width"
            value={width}
            low={0}
            high={WIDEST * size.value}
            shown={centimetres}
            change={setWidth}
          />
          <ul class="parts" aria-label="Colours of the skin round it">
            {["Line", "Follows", "Stays"].map((name, i) => (
              <li key={name}>
                <span class="swatch" style={{ background: PARTS[i] }} />
                {name}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** A slider that acts while it is moved, and is a step when it is let go. */
function Live(given: {
  label: string;
  value: number;
  low: number;
  high: number;
  shown: (value: number) => string;
  change: (value: number, done: boolean) => void;
}) {
  const { label, value, low, high, shown, change } = given;
  return (
    <label class="chooser">
      <span>{label}</span>
      <input
        type="range"
        min={low}
        max={high}
        step={(high - low) / 400}
        value={value}
        aria-valuetext={shown(value)}
        onInput={({ currentTarget }) =>
          soon(`stroke ${label}`, () => change(Number(currentTarget.value), false))
        }
        onChange={({ currentTarget }) => {
          notSoon(`stroke ${label}`);
          change(Number(currentTarget.value), true);
        }}
      />
      <span class="quiet figure">{shown(value)}</span>
    </label>
  );
}
