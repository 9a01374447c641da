// How several characters share the stage: panes of one size, so that one camera is right for all.
import { signal } from "@preact/signals";

export interface Grid {
  columns: number;
  rows: number;
  inset: number; // that is left free on the left [CSS pixels]
}

const TOOLS = 56; // where the tools stand over the stage [CSS pixels]
const UPRIGHT = 0.6; // width over height of what stands in a pane

/** The grid of the stage as it is now, which labels go by. */
export const grid = signal<Grid>({ columns: 1, rows: 1, inset: 0 });

/** The grid in which a character is seen largest. */
export function gridFor(count: number, width: number, height: number): Grid {
  const inset = count > 1 ? Math.min(TOOLS, 0.2 * width) : 0;
  let best: Grid = { columns: count, rows: 1, inset };
  let largest = 0;
  for (let columns = count; columns >= 1; columns--) {
    const rows = Math.ceil(count / columns);
    const seen = Math.min((width - inset) / columns / UPRIGHT, height / rows);
    if (seen > 1.02 * largest) [best, largest] = [{ columns, rows, inset }, seen];
  }
  return best;
}
