// Colours of a region of skin: what is held, what follows, and the ring that stays [Okabe and Ito 2008].
export const PARTS = ["#d55e00", "#56b4e9", "#202a44"] as const;
