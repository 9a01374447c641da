// Rows of the tool that drags flesh: what a hand makes of it can be kept.
import { signal } from "@preact/signals";
import { ask, view } from "../session";

/** Whether any hand holds the flesh. */
export const holding = signal(false);

/** Whether hands push with a force, and do not hold. */
export const pushing = signal(false);
/** The vertex nearest to where flesh was last taken hold of. */
export const lastHeld = signal<number | null>(null);

export function keepShape(): void {
  ask({ do: "keep-shape", view: view.value?.view ?? 0 });
}

export function DragOptions() {
  return (
    <>
      <label class="tool-switch" title="The farther the hand is from its place, the harder it pushes">
        <span>Push instead of holding</span>
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={pushing.value}
          checked={pushing.value}
          onChange={(event) => {
            pushing.value = event.currentTarget.checked;
          }}
        />
      </label>
      <button
        type="button"
        class="button outlined"
        disabled={!holding.value}
        title="What the hand makes of the flesh becomes a shape, which goes along in every pose (Enter, while it is held)"
        onClick={keepShape}
      >
        Keep this shape <kbd>Enter</kbd>
      </button>
    </>
  );
}
