// Colours of a measure, even to the eye and told apart by all: viridis, and purple to orange about zero.

export const RAMPS = {
  plain: ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32", "#fde725"],
  signed: ["#542788", "#8073ac", "#b2abd2", "#d8daeb", "#f7f7f7", "#fee0b6", "#fdb863", "#e08214", "#b35806"],
} as const;

export type Ramp = keyof typeof RAMPS;

/** How many colours a ramp is given by; between two of them it goes straight. */
export const RAMP_COLOURS = 9;
