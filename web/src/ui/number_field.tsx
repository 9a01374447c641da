// A number that can be typed: what is being typed stays, whatever the engine says meanwhile, until it is done or left.
import { useSignal } from "@preact/signals";

interface NumberFieldProps {
  value: string;
  set: (value: number) => void;
  label?: string;
  id?: string;
  step: number | "any";
  low?: number | undefined;
  high?: number | undefined;
}

export function NumberField({ value, set, label, id, step, low, high }: NumberFieldProps) {
  const typed = useSignal<string | null>(null);
  return (
    <input
      id={id}
      type="number"
      aria-label={label}
      min={low}
      max={high}
      step={step}
      value={typed.value ?? value}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
      }}
      onChange={({ currentTarget }) => {
        const number = currentTarget.valueAsNumber;
        if (Number.isFinite(number)) set(number);
        else currentTarget.value = value;
        typed.value = null;
      }}
      onBlur={() => {
        typed.value = null;
      }}
    />
  );
}
