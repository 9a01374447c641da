// Names of the engine as people read them.

/** "LayeredLattice" and "layered_lattice" as "Layered lattice". */
export function plainName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const BREAKS: Record<string, string> = { quaternion: "quater\u00ADnion", ncremental: "ncre\u00ADmental" };

/** A name whose long words may be broken where there is little room. */
export function breakable(name: string): string {
  return Object.entries(BREAKS).reduce((made, [word, parts]) => made.replace(word, parts), name);
}

/** What a skin does, in a line for those who see its name for the first time. */
export const SKIN_WORDS: Record<string, string> = {
  linear: "Skin goes with the bones. The least work; twists collapse.",
  "dual-quaternion": "Skin goes with the bones. Twists keep their girth, bends bulge outside.",
  "rotation-centers": "Skin goes with the bones. Neither collapses nor bulges.",
  "delta-mush": "Smooths rough weights and keeps detail.",
  incremental: "Hangs on the bones, without weights; bones may stretch.",
  springs: "Springs smooth the skin and hold it to the bones.",
  "spring-dynamics": "Springs in time: skin lags, swings and sends waves.",
  "position-based": "Flesh that keeps its volume, swings, and meets itself.",
  lattice: "Layers of muscle, fat and skin that swing.",
  contact: "Flesh on bones with muscles: things hit it, and it can go limp.",
  "pose-space": "Has learnt a slower skin from its bakes.",
  "pose-space-dynamics": "Has learnt a slower skin from its bakes, with its lag.",
  curves: "A few curves along the limbs, taught by a slower skin.",
  "curve-dynamics": "A few curves along the limbs, in time.",
};

/** A number with two figures; what is rounded to nothing has no sign. */
export function twoFigures(value: number): string {
  return (Math.round(100 * value) / 100 + 0).toFixed(2);
}

/** A part of an error, as it stands by itself: with a capital letter and a full stop. */
export function sentence(part: string): string {
  const whole = /[.!?…]$/.test(part) ? part : `${part}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
