// How much of something there is: a slider that shows it while it moves, and a number; one step when it is let go.
import { notSoon, soon } from "../../pace";
import { drafts } from "../../session";
import { NumberField } from "../number_field";

export function AmountField({
  name,
  label,
  value,
  change,
  bare = false,
  low = 0,
  high = 1,
  unit = "",
  times = 1,
}: {
  name: string; // of its draft
  label: string;
  value: number;
  change: (amount: number, done: boolean) => void;
  bare?: boolean; // only the slider
  low?: number; // of the slider; any number can be typed
  high?: number;
  unit?: string;
  times?: number; // what is shown is so many times the value: 100 where metres are shown as centimetres
}) {
  const shown = times * ((drafts.value[name] as number | undefined) ?? value);
  const slide = (amount: number) => {
    drafts.value = { ...drafts.value, [name]: amount / times };
    soon(name, () => change(amount / times, false));
  };
  const set = (amount: number) => {
    notSoon(name);
    drafts.value = { ...drafts.value, [name]: amount / times };
    change(amount / times, true);
  };
  const slider = (
    <input
      type="range"
      class="amount-slider"
      aria-label={bare ? `${label} of ${name}` : `${label}, slider`}
      aria-valuetext={shown.toFixed(2)}
      title={`${label} ${shown.toFixed(2)}`}
      min={Math.min(low, shown)}
      max={Math.max(high, shown)}
      step={0.01 * (high - low)}
      value={shown}
      onInput={(event) => slide(Number(event.currentTarget.value))}
      onChange={(event) => set(Number(event.currentTarget.value))}
    />
  );
  if (bare) return <span data-setting={name}>{slider}</span>;
  return (
    <div class="line" data-setting={name}>
      <span class="quiet">
        {label}
        {unit && <span class="unit"> {unit}</span>}
      </span>
      {slider}
      <NumberField label={label} step="any" value={String(Number(shown.toFixed(3)))} set={set} />
    </div>
  );
}
