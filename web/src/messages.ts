// All that page and engine say to each other. Made from src/supple/studio/messages.py: change it there.

export const PROTOCOL = "supple-studio.1";

export type Point = [number, number, number];
export type Value = number | boolean | string;

/** What the page asks for; the socket numbers it. */
export type Command =
  | { do: "play" }
  | { do: "pause" }
  | { do: "seek"; time: number }
  | { do: "run"; rate: number }
  | { do: "hold"; hand: string; vertices: number[]; shares: number[]; to: Point; radius?: number | null }
  | { do: "let-go"; hand: string }
  | { do: "change"; name: string; value: Value; done?: boolean }
  | { do: "choose-skin"; skin: string }
  | { do: "choose-motion"; motion: string }
  | { do: "choose-character"; character: string; vertices: number }
  | { do: "undo" }
  | { do: "redo" }
  | { do: "drawn"; frame: number };

/** One row of a panel. `kind` is number, whole, switch, choice or words; `live` rows act at once. */
export interface SettingRow {
  name: string;
  label: string;
  kind: string;
  value: Value;
  default: Value;
  unit: string;
  low: number | null;
  high: number | null;
  choices: string[];
  live: boolean;
}

/** Which mesh frames are of: `mesh` changes when its triangles do, and names what `/mesh/{mesh}` gives. */
export interface MeshInfo {
  mesh: number;
  vertices: number;
  points: number;
  triangles: number;
  size: number;
}

/** Where the motion is; `duration` is None where it has no end. */
export interface TransportInfo {
  motion: string;
  playing: boolean;
  rate: number;
  duration: number | null;
}

/** All that a panel shows; sent when a window opens and whenever it changes. */
export interface State {
  event: "state";
  revision: number;
  character: string;
  mesh: MeshInfo;
  transport: TransportInfo;
  skin: string;
  settings: SettingRow[];
  skins: string[];
  motions: string[];
  characters: string[];
  preparing: string | null;
  undo: string | null;
  redo: string | null;
}

/** Why a command was not done, in the four parts of an error. */
export interface Refused {
  event: "refused";
  seq: number;
  where: string;
  given: string;
  needed: string;
  advice: string;
}

/** Something worth knowing. */
export interface Told {
  event: "told";
  text: string;
}

export type Event = State | Refused | Told;
