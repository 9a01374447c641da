// How several characters share the stage: panes of one size, so that one camera is right for all.
import { signal } from "@preact/signals";

export interface Grid {
  columns: number;
  rows: number;
  inset: number; // that is left free on the left [CSS pixels]
  right: number; // that is left free on the right [CSS pixels]
}

/** What stands over a pane along its edges, of which the character keeps clear [CSS pixels]. */
export interface Margins {
  left: number;
  right: number;
  top: number;
}

const TOOLS = 56; // where the tools stand over the stage [CSS pixels]
const SCALE = 70; // where the scale of colours stands upright [CSS pixels]
const LABEL = 38; // where the labels of characters that are compared stand [CSS pixels]
const LARGE = { width: 600, height: 460 }; // a stage on which there is room beside any body [CSS pixels]
const UPRIGHT = 0.6; // width over height of what stands in a pane

/** The grid of the stage as it is now, which labels go by. */
export const grid = signal<Grid>({ columns: 1, rows: 1, inset: 0, right: 0 });

/** Whether the scale of colours stands upright beside the bodies: it would lie over them on this stage. */
export const upright = signal(false);

export function isTight(width: number, height: number): boolean {
  return width < LARGE.width || height < LARGE.height;
}

/** Of each of so many panes, while there is a scale of colours or none. */
export function marginsFor(count: number, width: number, height: number, scale: boolean): Margins {
  if (count > 1) return { left: 0, right: 0, top: LABEL };
  const narrow = isTight(width, height);
  return { left: narrow ? TOOLS : 0, right: narrow && scale ? SCALE : 0, top: 0 };
}

/** The grid in which a character is seen largest. */
export function gridFor(count: number, width: number, height: number, scale: boolean): Grid {
  const inset = count > 1 ? Math.min(TOOLS, 0.2 * width) : 0;
  const right = count > 1 && scale ? SCALE : 0;
  let best: Grid = { columns: count, rows: 1, inset, right };
  let largest = 0;
  for (let columns = count; columns >= 1; columns--) {
    const rows = Math.ceil(count / columns);
    if (Math.ceil(count / rows) < columns) continue; // as many rows do with fewer columns
    const high = height / rows - (count > 1 ? LABEL : 0);
    const seen = Math.min((width - inset - right) / columns / UPRIGHT, high);
    if (seen > 1.02 * largest) [best, largest] = [{ columns, rows, inset, right }, seen];
  }
  return best;
}
