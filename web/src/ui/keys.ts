// Keys of the table of actions; what is typed into a field stays there.
import type { Stage } from "../scene/stage";
import { tool } from "../tools/toolbox";
import { actions, isEnabled } from "./actions";

const SHOWN: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
const APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key as the sheet shows it. */
export function shownKey(key: string): string {
  return key
    .split("+")
    .map((part) => (part === "Ctrl" && APPLE ? "⌘" : (SHOWN[part] ?? part)))
    .join(" ");
}

function keyOf(event: KeyboardEvent): string {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const shift = event.shiftKey && (event.ctrlKey || event.metaKey);
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${key}`;
}

function belongsToField(event: KeyboardEvent, key: string): boolean {
  const target = event.target as HTMLElement;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return /^(Arrow|Home|End|Page)/.test(key);
    if (target.type === "checkbox") return key === "Space";
    return key !== "Ctrl+K";
  }
  if (target instanceof HTMLSelectElement) return !key.startsWith("Ctrl+");
  if (target.getAttribute("role") === "slider") return /^(Arrow|Home|End|Page)/.test(key);
  return (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") && key === "Space";
}

export function listenToKeys(stage: Stage): void {
  addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (event.altKey || belongsToField(event, key)) return;
    if (tool.value?.hear?.(key)) {
      event.preventDefault();
      return;
    }
    const action = actions.value.find(({ keys }) => keys.includes(key));
    if (!action) return;
    event.preventDefault();
    if (isEnabled(action) && !(event.repeat && key === "Space")) action.run(stage);
  });
}
