// One row for every setting: a slider and a number, a switch, a choice or words, with its unit and its default.
import type { JSX } from "preact";
import type { SettingRow, Value } from "../messages";
import { notSoon, soon } from "../pace";
import { ask, drafts, stage, view } from "../session";
import { Icon } from "./icons";
import { NumberField } from "./number_field";
import { fromSlider, STEPS, shown, toSlider } from "./scale";

function change(row: SettingRow, value: Value, done: boolean): void {
  ask({
    do: "change",
    name: row.name,
    value,
    done,
    stage: stage.value?.name ?? "",
    view: view.value?.view ?? 0,
  });
}

/** While it is being changed: live settings act at once, others when it is done. */
function changing(row: SettingRow, value: Value): void {
  drafts.value = { ...drafts.value, [row.name]: value };
  if (row.live) soon(`change ${row.name}`, () => change(row, value, false));
}

function changed(row: SettingRow, value: Value): void {
  notSoon(`change ${row.name}`);
  drafts.value = { ...drafts.value, [row.name]: value };
  change(row, value, true);
}

export function Row({ row }: { row: SettingRow }) {
  const value = drafts.value[row.name] ?? row.value;
  const id = `setting-${row.name}`;
  return (
    <div class="row" data-setting={row.name}>
      <div class="row-head">
        <label for={id} title={hint(row)}>
          {row.label}
          {row.unit && <span class="unit"> {row.unit}</span>}
        </label>
        <span
          class={row.live ? "badge live" : "badge"}
          title={row.live ? "Acts at once" : "The skin binds again, behind the one that plays"}
        >
          {row.live ? "live" : "binds again"}
        </span>
        {row.kind === "switch" && <Switch row={row} value={value === true} id={id} />}
        <button
          type="button"
          class="button small reset"
          aria-label={`Reset ${row.label} to ${row.default}`}
          title={`Reset to ${row.default}`}
          disabled={value === row.default}
          onClick={() => changed(row, row.default)}
        >
          <Icon name="reset" />
        </button>
      </div>
      {row.kind !== "switch" && <Field row={row} value={value} id={id} />}
    </div>
  );
}

function hint(row: SettingRow): string {
  const range =
    row.low !== null && row.high !== null ? `, ${row.low} to ${row.high}${row.unit && ` ${row.unit}`}` : "";
  return `${row.name}${range}; ${row.live ? "live" : "binds again"}`;
}

function Field({ row, value, id }: { row: SettingRow; value: Value; id: string }): JSX.Element {
  if (row.kind === "choice") return <Choice row={row} value={String(value)} id={id} />;
  if (typeof value === "number") return <Amount row={row} value={value} id={id} />;
  return <Words row={row} value={String(value)} id={id} />;
}

function Amount({ row, value, id }: { row: SettingRow; value: number; id: string }) {
  const { low, high } = row;
  const ranged = low !== null && high !== null && high > low;
  return (
    <div class="amount">
      {ranged && (
        <input
          type="range"
          aria-label={`${row.label}, slider`}
          aria-valuetext={`${shown(value)} ${row.unit}`}
          min={0}
          max={STEPS}
          step={1}
          value={toSlider(value, low, high)}
          onInput={(event) => changing(row, fromSlider(Number(event.currentTarget.value), row))}
          onChange={(event) => changed(row, fromSlider(Number(event.currentTarget.value), row))}
        />
      )}
      <NumberField
        id={id}
        low={low ?? undefined}
        high={high ?? undefined}
        step={row.kind === "whole" ? 1 : "any"}
        value={shown(value)}
        set={(typed) => changed(row, row.kind === "whole" ? Math.round(typed) : typed)}
      />
    </div>
  );
}

function Switch({ row, value, id }: { row: SettingRow; value: boolean; id: string }) {
  return (
    <input
      id={id}
      type="checkbox"
      class="switch"
      role="switch"
      aria-checked={value}
      checked={value}
      onChange={(event) => changed(row, event.currentTarget.checked)}
    />
  );
}

function Choice({ row, value, id }: { row: SettingRow; value: string; id: string }) {
  return (
    <select id={id} value={value} onChange={(event) => changed(row, event.currentTarget.value)}>
      {row.choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice || "none"}
        </option>
      ))}
    </select>
  );
}

function Words({ row, value, id }: { row: SettingRow; value: string; id: string }) {
  return (
    <input
      id={id}
      type="text"
      spellcheck={false}
      value={value}
      onChange={(event) => changed(row, event.currentTarget.value)}
    />
  );
}
