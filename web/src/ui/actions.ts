// Every action once: buttons, keys, the palette and the sheet of shortcuts are made from this table.
import { computed, signal } from "@preact/signals";
import { recordedSeconds, takePicture, toggleRecording } from "../capture";
import type { Stage } from "../scene/stage";
import {
  ask,
  bonesShown,
  curvesShown,
  following,
  motionTime,
  panelOpen,
  parallel,
  radius,
  state,
} from "../session";
import type { ToolId } from "../tools/tool";
import { chooseTool, isOffered, tool, tools } from "../tools/toolbox";
import type { IconName } from "./icons";
import { layersShown, layersWanted, playhead } from "./layers/choice";
import { nextTheme, theme } from "./theme";

export type ActionId =
  | `tool-${ToolId}`
  | "play"
  | "step-back"
  | "step-ahead"
  | "to-start"
  | "loop"
  | "loop-start"
  | "loop-end"
  | "as-baked"
  | "layers"
  | "ghosts"
  | "slower"
  | "faster"
  | "save"
  | "save-as"
  | "export"
  | "picture"
  | "fine-picture"
  | "record"
  | "open-document"
  | "open"
  | "undo"
  | "redo"
  | "frame"
  | "front"
  | "side"
  | "top"
  | "parallel"
  | "roll-left"
  | "roll-right"
  | "follow"
  | "bones"
  | "curves"
  | "smaller"
  | "larger"
  | "panel"
  | "theme"
  | "palette"
  | "help";

export interface Action {
  id: ActionId;
  group: "Tool" | "Motion" | "Document" | "View" | "Hand" | "Window";
  name: string | (() => string);
  keys: readonly string[];
  icon?: IconName | (() => IconName);
  enabled?: () => boolean;
  pressed?: () => boolean;
  run: (stage: Stage) => void;
}

export const SPEEDS = [-1, 0.1, 0.25, 0.5, 1, 1.5, 2, 4];
export const helpOpen = signal(false);
export const paletteOpen = signal(false);
export const openOpen = signal(false);
export const saveDialog = signal(false);
export const jobsOpen = signal(false);
export const documentsDialog = signal(false);

const STEP = 1 / 60; // [s]
const RADIUS_STEP = 1.25;

const playing = () => state.value?.transport.playing ?? false;

export function setRadius(metres: number): void {
  const size = state.value?.mesh.size || 1.8;
  radius.value = Math.min(0.3 * size, Math.max(0.005 * size, metres));
}

/** Stand still a little earlier or later; a motion that loops goes on at its other end. */
function step(seconds: number): void {
  if (playing()) ask({ do: "pause" });
  const { duration, loops } = state.value?.transport ?? {};
  const time = motionTime.value + seconds;
  if (!duration) ask({ do: "seek", time });
  else if (loops) ask({ do: "seek", time: ((time % duration) + duration) % duration });
  else ask({ do: "seek", time: Math.min(duration, Math.max(0, time)) });
}

/** Play a part over and over; null keeps that end of it where it is. */
function setSpan(start: number | null, end: number | null): void {
  const { duration, span } = state.value?.transport ?? {};
  if (!duration) return;
  const from = start ?? (span && span[0] < end! ? span[0] : 0);
  const to = end ?? (span && span[1] > from ? span[1] : duration);
  if (to > from) ask({ do: "loop", start: from, end: to });
}

function otherSpeed(by: 1 | -1): void {
  const rate = state.value?.transport.rate ?? 1;
  const at = SPEEDS.reduce(
    (best, speed, i) => (Math.abs(speed - rate) < Math.abs(SPEEDS[best]! - rate) ? i : best),
    0,
  );
  ask({ do: "run", rate: SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]! });
}

function togglePlay(): void {
  const now = state.value;
  if (now && !playing() && now.transport.rate === 0) ask({ do: "run", rate: 1 });
  ask({ do: playing() ? "pause" : "play" });
}

const ACTIONS: readonly Action[] = [
  {
    id: "play",
    group: "Motion",
    name: () => (playing() ? "Pause" : "Play"),
    keys: ["Space"],
    icon: () => (playing() ? "pause" : "play"),
    run: togglePlay,
  },
  {
    id: "step-back",
    group: "Motion",
    name: "Step back",
    keys: ["ArrowLeft"],
    icon: "stepBack",
    run: () => step(-STEP),
  },
  {
    id: "step-ahead",
    group: "Motion",
    name: "Step ahead",
    keys: ["ArrowRight"],
    icon: "stepAhead",
    run: () => step(STEP),
  },
  {
    id: "to-start",
    group: "Motion",
    name: "Go to the start",
    keys: ["Home"],
    icon: "start",
    run: () => ask({ do: "seek", time: 0 }),
  },
  {
    id: "loop",
    group: "Motion",
    name: "Play a part over and over",
    keys: ["/"],
    icon: "loop",
    enabled: () => Boolean(state.value?.transport.duration),
    pressed: () => Boolean(state.value?.transport.span),
    run: () => {
      if (state.value?.transport.span) ask({ do: "unloop" });
      else setSpan(0, state.value?.transport.duration ?? 0);
    },
  },
  {
    id: "loop-start",
    group: "Motion",
    name: "The part begins here",
    keys: [","],
    run: () => setSpan(playhead(), null),
  },
  {
    id: "loop-end",
    group: "Motion",
    name: "The part ends here",
    keys: ["."],
    run: () => setSpan(null, playhead()),
  },
  {
    id: "as-baked",
    group: "Motion",
    name: "Flesh as baked while the motion stands",
    keys: ["B"],
    icon: "baked",
    pressed: () => (state.value?.transport.as_baked ?? "off") !== "off",
    run: () => ask({ do: "as-baked", on: state.value?.transport.as_baked === "off" }),
  },
  {
    id: "layers",
    group: "Motion",
    name: "Show layers",
    keys: ["Y"],
    icon: "layers",
    pressed: layersShown,
    run: () => {
      layersWanted.value = !layersShown();
    },
  },
  {
    id: "ghosts",
    group: "Motion",
    name: "Show ghosts before and after",
    keys: ["X"],
    icon: "ghosts",
    pressed: () => Boolean(state.value?.ghosts.on),
    run: () => ask({ do: "show-ghosts", on: !state.value?.ghosts.on }),
  },
  { id: "slower", group: "Motion", name: "Slower", keys: ["ArrowDown"], run: () => otherSpeed(-1) },
  { id: "faster", group: "Motion", name: "Faster", keys: ["ArrowUp"], run: () => otherSpeed(1) },
  {
    id: "save",
    group: "Document",
    name: "Save",
    keys: ["Ctrl+S"],
    icon: "save",
    run: () => {
      if (state.value?.saving.name) ask({ do: "save" });
      else saveDialog.value = true;
    },
  },
  {
    id: "export",
    group: "Document",
    name: "Export: bakes, films and comparisons",
    keys: ["Ctrl+E"],
    icon: "export",
    run: () => {
      jobsOpen.value = !jobsOpen.value;
    },
  },
  {
    id: "picture",
    group: "View",
    name: "Save a picture",
    keys: ["F8"],
    run: (stage) => takePicture(stage, 1),
  },
  {
    id: "fine-picture",
    group: "View",
    name: "Save a picture, twice as fine",
    keys: ["F9"],
    run: (stage) => takePicture(stage, 2),
  },
  {
    id: "record",
    group: "View",
    name: () => (recordedSeconds.value === null ? "Record what is seen" : "Stop recording"),
    keys: ["M"],
    pressed: () => recordedSeconds.value !== null,
    run: toggleRecording,
  },
  {
    id: "save-as",
    group: "Document",
    name: "Save as",
    keys: ["Ctrl+Shift+S"],
    run: () => {
      saveDialog.value = true;
    },
  },
  {
    id: "open-document",
    group: "Document",
    name: "Open a document",
    keys: ["Ctrl+Shift+O"],
    run: () => {
      documentsDialog.value = true;
    },
  },
  {
    id: "open",
    group: "Document",
    name: "Open a character or a motion",
    keys: ["Ctrl+O"],
    icon: "open",
    run: () => {
      openOpen.value = true;
    },
  },
  {
    id: "undo",
    group: "Document",
    keys: ["Ctrl+Z"],
    icon: "undo",
    name: () => (state.value?.undo ? `Undo: ${state.value.undo}` : "Undo"),
    enabled: () => Boolean(state.value?.undo),
    run: () => ask({ do: "undo" }),
  },
  {
    id: "redo",
    group: "Document",
    keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
    icon: "redo",
    name: () => (state.value?.redo ? `Redo: ${state.value.redo}` : "Redo"),
    enabled: () => Boolean(state.value?.redo),
    run: () => ask({ do: "redo" }),
  },
  {
    id: "frame",
    group: "View",
    name: "Frame the character",
    keys: ["F"],
    icon: "frame",
    run: (stage) => stage.frameCharacter(),
  },
  { id: "front", group: "View", name: "From the front", keys: ["1"], run: (stage) => stage.view("front") },
  { id: "side", group: "View", name: "From the side", keys: ["3"], run: (stage) => stage.view("side") },
  { id: "top", group: "View", name: "From the top", keys: ["7"], run: (stage) => stage.view("top") },
  {
    id: "parallel",
    group: "View",
    name: "Parallel rays, without perspective",
    keys: ["5"],
    icon: "box",
    pressed: () => parallel.value,
    run: () => {
      parallel.value = !parallel.value;
    },
  },
  {
    id: "roll-left",
    group: "View",
    name: "Roll to the left",
    keys: ["4"],
    run: (stage) => stage.viewer.roll(-1),
  },
  {
    id: "roll-right",
    group: "View",
    name: "Roll to the right",
    keys: ["6"],
    run: (stage) => stage.viewer.roll(1),
  },
  {
    id: "follow",
    group: "View",
    name: "Follow the character",
    keys: ["C"],
    icon: "follow",
    pressed: () => following.value,
    run: () => {
      following.value = !following.value;
    },
  },
  {
    id: "bones",
    group: "View",
    name: "Show the bones",
    keys: ["N"],
    icon: "bones",
    pressed: () => bonesShown.value,
    run: () => {
      bonesShown.value = !bonesShown.value;
    },
  },
  {
    id: "curves",
    group: "Motion",
    name: "Show curves of measures",
    keys: ["Q"],
    icon: "curves",
    pressed: () => curvesShown.value,
    run: () => {
      curvesShown.value = !curvesShown.value;
    },
  },
  {
    id: "smaller",
    group: "Hand",
    name: "Smaller hand",
    keys: ["["],
    run: () => setRadius(radius.value / RADIUS_STEP),
  },
  {
    id: "larger",
    group: "Hand",
    name: "Larger hand",
    keys: ["]"],
    run: () => setRadius(radius.value * RADIUS_STEP),
  },
  {
    id: "panel",
    group: "Window",
    name: "Show the panel",
    keys: ["P"],
    icon: "panel",
    pressed: () => panelOpen.value,
    run: () => {
      panelOpen.value = !panelOpen.value;
    },
  },
  {
    id: "theme",
    group: "Window",
    name: () => `Theme: ${theme.value}`,
    keys: ["T"],
    icon: "theme",
    run: nextTheme,
  },
  {
    id: "palette",
    group: "Window",
    name: "Find an action",
    keys: ["Ctrl+K"],
    icon: "search",
    run: () => {
      paletteOpen.value = true;
    },
  },
  {
    id: "help",
    group: "Window",
    name: "Shortcuts",
    keys: ["?"],
    icon: "help",
    run: () => {
      helpOpen.value = true;
    },
  },
];

/** The tools as actions, by the keys that choose them. */
function toolActions(): Action[] {
  return tools.value.filter(isOffered).map((one) => ({
    id: `tool-${one.id}` as const,
    group: "Tool",
    name: one.name,
    keys: [one.key],
    icon: one.icon,
    pressed: () => tool.value === one,
    run: () => chooseTool(one.id),
  }));
}

export const actions = computed<readonly Action[]>(() => [...toolActions(), ...ACTIONS]);

export function actionNamed(id: ActionId): Action {
  return actions.value.find((action) => action.id === id)!;
}

export function nameOf(action: Action): string {
  return typeof action.name === "function" ? action.name() : action.name;
}

export function isEnabled(action: Action): boolean {
  return action.enabled?.() ?? true;
}
