// What the page knows, as signals: the engine's state, the connection, the clocks and the messages to show.
import { computed, signal } from "@preact/signals";
import type { Command, Refused, StageInfo, State, Value, ViewInfo } from "./messages";

export type Link = { open: true } | { open: false; reason: string };
export type Toast = { id: number; times: number } & ({ refused: Refused } | { text: string });

export const state = signal<State | null>(null);
export const link = signal<Link>({ open: false, reason: "" });
/** Why there never was anything to show. */
export const failure = signal<Refused | null>(null);
export const motionTime = signal(0); // of the frame that was drawn [s]
export const shownFrame = signal(0); // its number
export const toasts = signal<readonly Toast[]>([]);
export const radius = signal(0.06); // of a hand [m]
export const following = signal(true);
export const parallel = signal(false); // rays of the view
export const panelOpen = signal(true);
export const bonesShown = signal(false);
export const curvesShown = signal(false);

/** Which of the characters that are shown the panel is of, and which stage of its graph; null is the last. */
export const activeView = signal(0);
export const activeStage = signal<string | null>(null);

export const view = computed<ViewInfo | null>(() => {
  const views = state.value?.views ?? [];
  return views[activeView.value] ?? views[0] ?? null;
});

export const stage = computed<StageInfo | null>(() => {
  const stages = view.value?.stages ?? [];
  return stages.find(({ name }) => name === activeStage.value) ?? stages.at(-1) ?? null;
});

/** The skin that a view ends in. */
export const skin = computed(() => view.value?.stages.at(-1)?.skin ?? "");

/** Values of rows that are being changed and that the engine has not yet said again. */
export const drafts = signal<Readonly<Record<string, Value>>>({});

let sender: (command: Command) => number | null = () => null;

/** Through what commands go. */
export function sendThrough(send: (command: Command) => number | null): void {
  sender = send;
}

/** Ask the engine for something; the number of the command, or null while there is no engine. */
export function ask(command: Command): number | null {
  return sender(command);
}

const MOST_TOASTS = 3;
let lastToast = 0;

/** Show a refusal; one that is already shown is counted, not shown twice. */
export function showRefused(refused: Refused): void {
  const words = ({ where, given, needed, advice }: Refused) => [where, given, needed, advice].join("\n");
  const same = toasts.value.find((toast) => "refused" in toast && words(toast.refused) === words(refused));
  if (same)
    toasts.value = toasts.value.map((toast) =>
      toast === same ? { ...toast, times: toast.times + 1 } : toast,
    );
  else addToast({ id: ++lastToast, times: 1, refused });
}

/** Show a sentence. */
export function showTold(text: string): void {
  addToast({ id: ++lastToast, times: 1, text });
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

function addToast(toast: Toast): void {
  toasts.value = [...toasts.value, toast].slice(-MOST_TOASTS);
}
