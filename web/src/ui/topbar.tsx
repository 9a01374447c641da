// Above: what is open, undo and redo, views, the meters and the window's own buttons.
import { engineMilliseconds, framesArriving, picturesDrawn } from "../meters";
import type { Stage } from "../scene/stage";
import { state } from "../session";
import { ActionButton } from "./button";
import { SavedMark } from "./documents";
import { JobsButton } from "./jobs/jobs";
import { HistoryButton } from "./layers/history";
import { chooseCharacter } from "./open";
import { plainName } from "./words";

const FRAME = 1000 / 60; // [ms]

export function TopBar({ stage, software }: { stage: Stage; software: boolean }) {
  return (
    <header class="topbar">
      <h1>Supple</h1>
      <Character />
      <SavedMark />
      <div class="cluster" role="group" aria-label="Document">
        <ActionButton id="open" stage={stage} />
        <ActionButton id="save" stage={stage} />
        <ActionButton id="undo" stage={stage} beside={state.value?.undo} />
        <ActionButton id="redo" stage={stage} beside={state.value?.redo} />
        <HistoryButton />
      </div>
      <div class="cluster" role="group" aria-label="View">
        <ActionButton id="frame" stage={stage} />
        <ActionButton id="follow" stage={stage} />
        <ActionButton id="bones" stage={stage} />
        <ActionButton id="parallel" stage={stage} />
        <ActionButton id="front" stage={stage} text="Front" />
        <ActionButton id="side" stage={stage} text="Side" />
        <ActionButton id="top" stage={stage} text="Top" />
      </div>
      <Meters software={software} />
      <div class="cluster" role="group" aria-label="Window">
        <JobsButton />
        <ActionButton id="palette" stage={stage} />
        <ActionButton id="theme" stage={stage} />
        <ActionButton id="help" stage={stage} />
        <ActionButton id="panel" stage={stage} />
      </div>
    </header>
  );
}

function Character() {
  const now = state.value;
  if (!now) return null;
  const { character, characters, mesh } = now;
  const names = characters.includes(character) ? characters : [character, ...characters];
  return (
    <div class="character">
      <select
        aria-label="Character"
        title={`Character, ${mesh.vertices.toLocaleString("en").replace(",", " ")} vertices`}
        value={character}
        onChange={(event) => chooseCharacter(event.currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {characters.includes(name) ? plainName(name) : name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Meters({ software }: { software: boolean }) {
  const drawing = software
    ? "pictures drawn each second; there is no graphics card in use, so drawing is slow"
    : "pictures drawn each second";
  return (
    <dl class="meters" aria-label="Meters">
      <Meter
        name="engine"
        value={engineMilliseconds.value.toFixed(1)}
        unit="ms"
        slow={engineMilliseconds.value > FRAME}
        hint="time of the engine for one frame"
      />
      <Meter
        name="arriving"
        value={framesArriving.value.toFixed(0)}
        unit="/s"
        slow={false}
        hint="frames that arrive each second"
      />
      <Meter
        name="picture"
        value={picturesDrawn.value.toFixed(0)}
        unit="fps"
        slow={software}
        hint={drawing}
      />
    </dl>
  );
}

function Meter({
  name,
  value,
  unit,
  slow,
  hint,
}: {
  name: string;
  value: string;
  unit: string;
  slow: boolean;
  hint: string;
}) {
  return (
    <div class={`meter ${slow ? "slow" : ""}`} title={`${name}: ${hint}`}>
      <dt>{name}</dt>
      <dd>
        {value} <span class="quiet">{unit}</span>
      </dd>
    </div>
  );
}
