// Where a value lies on its slider: evenly, or by its logarithm where the range spans more than a factor of 1000.
import type { SettingRow } from "../messages";

const MUCH = 1000;
export const STEPS = 1000;

function isLogarithmic(low: number, high: number): boolean {
  return low > 0 && high / low > MUCH;
}

/** From 0 to STEPS. */
export function toSlider(value: number, low: number, high: number): number {
  const share = isLogarithmic(low, high)
    ? Math.log(value / low) / Math.log(high / low)
    : (value - low) / (high - low);
  return Math.round(STEPS * Math.min(1, Math.max(0, share)));
}

/** The value at a place of the slider, with no more figures than the slider can tell apart. */
export function fromSlider(place: number, row: SettingRow): number {
  const [low, high] = [row.low!, row.high!];
  const share = place / STEPS;
  const value = isLogarithmic(low, high) ? low * (high / low) ** share : low + share * (high - low);
  const rounded = row.kind === "whole" ? Math.round(value) : Number(value.toPrecision(3));
  return Math.min(high, Math.max(low, rounded));
}

/** A length [m] in words, in the unit that suits it. */
export function length(metres: number): string {
  return metres < 1 ? `${(100 * metres).toFixed(1)} cm` : `${metres.toFixed(2)} m`;
}

/** A number as a field shows it, in as many figures as fit. */
export function shown(value: number): string {
  return String(Number(value.toPrecision(Math.abs(value) < 1 ? 4 : 6)));
}
