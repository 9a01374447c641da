// The panel: which skin and motion, the hand, and a row for every setting of the skin.
import { useSignal } from "@preact/signals";
import type { SettingRow, State } from "../messages";
import { ask, failure, radius, skin, stage, state, view } from "../session";
import { setRadius } from "./actions";
import { Capture } from "./capture";
import { GraphSection } from "./graph";
import { EditsSection } from "./layers/edits";
import { GhostRows } from "./layers/ghosts";
import { LinesChooser, MeasureChooser } from "./legend";
import { Compare } from "./panes";
import { Row } from "./rows";
import { length } from "./scale";
import { ToolOptions } from "./toolbar";
import { plainName, SKIN_WORDS } from "./words";

export function Panel() {
  const now = state.value;
  return (
    <aside class="panel" aria-label="Settings">
      {now ? (
        <Filled now={now} />
      ) : (
        <p class="quiet pad">{failure.value ? "" : "Waiting for the engine …"}</p>
      )}
    </aside>
  );
}

function Filled({ now }: { now: State }) {
  return (
    <>
      <ToolOptions />
      <section class="choices" aria-label="Skin and motion">
        <Chooser
          label="Skin"
          value={skin.value}
          all={now.skins}
          choose={(name) => ask({ do: "choose-skin", skin: name, view: view.value?.view ?? 0 })}
        />
        {SKIN_WORDS[skin.value] && <p class="quiet note">{SKIN_WORDS[skin.value]}</p>}
        <Compare skins={now.skins} views={now.views.length} />
        {now.capture && now.capture.light !== "off" ? (
          <p class="chooser">
            <span>Motion</span>
            <span>Live capture</span>
          </p>
        ) : (
          <Chooser
            label="Motion"
            value={now.transport.motion}
            all={now.motions}
            choose={(motion) => ask({ do: "choose-motion", motion })}
          />
        )}
        <MeasureChooser />
        <LinesChooser />
        <HandRadius size={now.mesh.size || 1.8} />
      </section>
      <GhostRows />
      <EditsSection />
      <Capture />
      <GraphSection />
      <Settings rows={stage.value?.settings ?? []} />
    </>
  );
}

function Chooser({
  label,
  value,
  all,
  choose,
}: {
  label: string;
  value: string;
  all: readonly string[];
  choose: (name: string) => void;
}) {
  const names = all.includes(value) ? all : [value, ...all];
  return (
    <label class="chooser">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {plainName(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function HandRadius({ size }: { size: number }) {
  return (
    <label class="chooser" title="How far a hand reaches ([ and ])">
      <span>Hand</span>
      <input
        type="range"
        min={0.005 * size}
        max={0.3 * size}
        step={0.001 * size}
        value={radius.value}
        aria-valuetext={length(radius.value)}
        onInput={(event) => setRadius(Number(event.currentTarget.value))}
      />
      <span class="quiet figure">{length(radius.value)}</span>
    </label>
  );
}

/** Rows in groups by the first part of a dotted name; those without one come first. */
function grouped(rows: readonly SettingRow[]): [string, SettingRow[]][] {
  const groups = new Map<string, SettingRow[]>([["", []]]);
  for (const row of rows) {
    const dot = row.name.indexOf(".");
    const group = dot < 0 ? "" : row.name.slice(0, dot);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}

function Settings({ rows }: { rows: readonly SettingRow[] }) {
  const words = useSignal("");
  const wanted = words.value.toLowerCase().trim();
  const found = rows.filter(({ name, label }) => `${name} ${label}`.toLowerCase().includes(wanted));
  return (
    <section class="settings" aria-label="Settings of the skin">
      {rows.length > 0 && (
        <div class="search">
          <input
            type="search"
            aria-label="Search settings"
            placeholder={`Search ${rows.length} settings`}
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value;
            }}
          />
        </div>
      )}
      <div class="rows">
        {grouped(found).map(([group, members]) =>
          group === "" ? (
            members.map((row) => <Row key={row.name} row={row} />)
          ) : (
            <details key={group} open>
              <summary>{plainName(group)}</summary>
              {members.map((row) => (
                <Row key={row.name} row={row} />
              ))}
            </details>
          ),
        )}
        {found.length === 0 && (
          <p class="quiet pad">
            {rows.length === 0 ? "This skin has no settings." : "No setting has these words."}
          </p>
        )}
      </div>
    </section>
  );
}
