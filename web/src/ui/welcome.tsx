// The first time: three things to try, which go when they were tried or are not wanted.
import { computed, effect, signal } from "@preact/signals";
import { shownFrame, state } from "../session";
import { tool } from "../tools/toolbox";
import { holding } from "./drag_options";
import { Icon } from "./icons";

const KEPT = "supple-welcomed";
const wanted = signal(!known());
const tried = signal<ReadonlySet<string>>(new Set());

/** What is kept of this browser; where it keeps nothing, nothing is explained twice in one window. */
function known(): boolean {
  try {
    return localStorage.getItem(KEPT) !== null;
  } catch {
    return false;
  }
}

function leave(): void {
  wanted.value = false;
  try {
    localStorage.setItem(KEPT, "1");
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

function did(what: string): void {
  if (!wanted.peek() || tried.peek().has(what)) return;
  tried.value = new Set([...tried.peek(), what]);
  if (tried.value.size === HINTS.length) leave();
}

const HINTS = [
  { id: "drag", words: "Drag the skin, while it walks or stands", keys: [] },
  { id: "pause", words: "Stop the motion; the flesh goes on", keys: ["Space"] },
  { id: "tool", words: "Paint, draw, pose: the tools on the left", keys: ["?"] },
] as const;

const ready = computed(() => wanted.value && state.value !== null && shownFrame.value > 0);

effect(() => {
  if (holding.value) did("drag");
});
effect(() => {
  if (state.value && !state.value.transport.playing) did("pause");
});
effect(() => {
  if (tool.value && tool.value.id !== "drag") did("tool");
});

export function Welcome() {
  if (!ready.value) return null;
  return (
    <aside class="welcome" aria-label="First steps">
      <ul>
        {HINTS.map(({ id, words, keys }) => (
          <li key={id} class={tried.value.has(id) ? "tried" : ""}>
            <span class="mark" aria-hidden="true" />
            <span>{words}</span>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </li>
        ))}
      </ul>
      <button type="button" class="button small" aria-label="Close first steps" title="Close" onClick={leave}>
        <Icon name="close" />
      </button>
    </aside>
  );
}
