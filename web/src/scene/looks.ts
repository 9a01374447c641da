// Colours of the stage, dark and light; the background itself is the style sheet's.
import { Color, Vector3 } from "../three";

export type Look = "dark" | "light";

/** Towards the key light, in the frame of the stage. */
export const KEY_DIRECTION = new Vector3(0.45, 0.8, 0.5).normalize();

const linear = (hex: number, strength = 1) => new Color(hex).multiplyScalar(strength);

export const LOOKS = {
  dark: {
    skin_colour: linear(0xd8a58c),
    thing_colour: linear(0x7fa6c9),
    sky: linear(0x93a7c6, 0.5),
    floor_light: linear(0x4a4038, 0.6),
    key_colour: linear(0xfff1dc, 0.95),
    fill_colour: linear(0xc4c0cc, 0.5),
    rim_colour: linear(0xa9c4ff, 0.3),
    line_colour: linear(0x8e9bb0),
    line_strength: 0.4,
    shadow_strength: 0.62,
    ring: 0xffd9a0,
    earlier: linear(0x6f9fe8),
    later: linear(0xe8a46f),
    bones: 0xf2f5fa,
    axes: [0xe58a7b, 0x9cc48a, 0x86aee6],
  },
  light: {
    skin_colour: linear(0xd59f86),
    thing_colour: linear(0x6f97bd),
    sky: linear(0xffffff, 0.5),
    floor_light: linear(0xc9b8a8, 0.32),
    key_colour: linear(0xfff3e4, 0.88),
    fill_colour: linear(0xded9dc, 0.42),
    rim_colour: linear(0xffffff, 0.16),
    line_colour: linear(0x6c7686),
    line_strength: 0.38,
    shadow_strength: 0.42,
    ring: 0x7a3a12,
    earlier: linear(0x3d6fc4),
    later: linear(0xc4743d),
    bones: 0x27303d,
    axes: [0xb4402f, 0x4f7f3a, 0x2f64ad],
  },
} as const;
