// Lines of places, drawn on the screen or laid into space: how far along their places are, and what is between.
import type { Point } from "../messages";
import type { Vector2, Vector3 } from "../three";

/** How far along a line its places are, as shares of its length. */
export function waysAlong(line: readonly (Vector2 | Vector3)[]): number[] {
  let way = 0;
  const ways = line.map((at, i) => {
    if (i > 0) way += (at as Vector3).distanceTo(line[i - 1] as Vector3);
    return way;
  });
  return ways.map((one) => one / Math.max(way, 1e-9));
}

/** What values at ascending places are in between. */
export function between(at: readonly number[], values: readonly number[], place: number): number {
  const after = at.findIndex((one) => one >= place);
  if (after <= 0) return (after < 0 ? values.at(-1) : values[0]) ?? 0;
  const [low, high] = [at[after - 1]!, at[after]!];
  const share = (place - low) / Math.max(high - low, 1e-9);
  return values[after - 1]! + share * (values[after]! - values[after - 1]!);
}

/** Depths that change gently along a line; those that are not known are as their neighbours. */
export function smoothed(depths: readonly number[]): (number | undefined)[] {
  const filled: (number | undefined)[] = [];
  let last = depths.find((one) => !Number.isNaN(one));
  for (const one of depths) {
    if (!Number.isNaN(one)) last = one;
    filled.push(last);
  }
  const half = Math.ceil(filled.length / 20);
  return filled.map((_, i) => {
    const near = filled.slice(Math.max(0, i - half), i + half + 1).filter((one) => one !== undefined);
    return near.length > 0 ? near.reduce((sum, one) => sum + one, 0) / near.length : undefined;
  });
}

/** Places of a line, at most 300 of them, with both ends. */
export function thinned(places: readonly Vector3[]): Point[] {
  const step = Math.max(1, Math.ceil(places.length / 300));
  return places.filter((_, i) => i % step === 0 || i === places.length - 1).map((place) => place.toArray());
}

export function distanceToPiece(place: Vector3, from: Vector3, to: Vector3): number {
  const along = to.clone().sub(from);
  const square = along.lengthSq();
  const share = square > 0 ? Math.min(1, Math.max(0, place.clone().sub(from).dot(along) / square)) : 0;
  return from.clone().addScaledVector(along, share).distanceTo(place);
}
