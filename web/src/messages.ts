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
  | { do: "hold"; hand: string; vertices: number[]; shares: number[]; to: Point; radius?: number | null; along?: number | null; force?: Point | null; view?: number }
  | { do: "let-go"; hand: string }
  | { do: "paint"; map: string; action: string; places: SkinPlace[]; radius: number; strength?: number; softness?: number; value?: number; mirror?: boolean; view?: number }
  | { do: "retouch"; shape: string; action: string; places: SkinPlace[]; radius: number; strength?: number; softness?: number; mirror?: boolean }
  | { do: "paint-end"; keep?: boolean }
  | { do: "fill-map"; map: string; value: number; view?: number }
  | { do: "reset-map"; map: string }
  | { do: "change"; name: string; value: Value; done?: boolean; stage?: string; view?: number }
  | { do: "choose-skin"; skin: string; view?: number }
  | { do: "add-view"; skin: string }
  | { do: "remove-view"; view: number }
  | { do: "put-on"; skin: string; view?: number }
  | { do: "blend"; skin: string; view?: number; amount?: number }
  | { do: "mute"; stage: string; muted: boolean; view?: number }
  | { do: "remove-stage"; stage: string; view?: number }
  | { do: "choose-motion"; motion: string }
  | { do: "choose-character"; character: string; vertices: number }
  | { do: "add-layer"; use: string; seconds?: number | null }
  | { do: "change-layer"; layer: string; name?: string | null; amount?: number | null; repeat?: boolean | null; firmness?: number | null; mute?: boolean | null; solo?: boolean | null; place?: number | null; done?: boolean }
  | { do: "delete-layer"; layer: string }
  | { do: "add-key"; layer: string; time: number; use?: string | null; amount?: number; ease?: string }
  | { do: "change-key"; layer: string; time: number; to?: number | null; use?: string | null; amount?: number | null; ease?: string | null; copy?: boolean; done?: boolean }
  | { do: "delete-key"; layer: string; time: number }
  | { do: "set-amount"; use: string; amount: number; done?: boolean }
  | { do: "rename-edit"; name: string; to: string; stroke?: boolean }
  | { do: "delete-edit"; name: string; stroke?: boolean }
  | { do: "radial"; name: string; joint: string; profile?: string; swell?: number; lean?: number; low?: number; high?: number; falloff?: number; done?: boolean }
  | { do: "wave"; stroke: string; height: number; wavelength: number; speed: number; width: number; triangles?: number[]; shares?: number[]; driven?: boolean; start?: number; every?: number | null; done?: boolean }
  | { do: "merge"; name: string; other: string }
  | { do: "copy-shape"; shape: string; joint: string }
  | { do: "keep-shape"; view?: number }
  | { do: "set-reach"; joint: number; reach: number; done?: boolean }
  | { do: "move-divider"; divider: number; by?: Point; turn?: Point; done?: boolean }
  | { do: "reset-dividers" }
  | { do: "loop"; start: number; end: number }
  | { do: "unloop" }
  | { do: "as-baked"; on: boolean }
  | { do: "travel"; steps: number }
  | { do: "draw"; line: string; stretches: Stretch[]; view?: number }
  | { do: "drop-line"; line: string }
  | { do: "raise"; line: string; height: number; reach: number; profile?: string; method?: string; force?: number | null; view?: number }
  | { do: "redraw-outline"; look: Look; pixels: [number, number][]; reach: number; method?: string; creases?: boolean; other_way?: boolean; view?: number }
  | { do: "move-knot"; stroke: string; knot: number; by: Point; done?: boolean; view?: number }
  | { do: "move-stroke"; stroke: string; by: Point; done?: boolean; view?: number }
  | { do: "change-height"; stroke: string; height: number; done?: boolean }
  | { do: "change-reach"; stroke: string; reach: number; done?: boolean }
  | { do: "delete-knot"; stroke: string; knot: number }
  | { do: "delete-stroke"; stroke: string }
  | { do: "mirror-stroke"; stroke: string }
  | { do: "insert-knot"; stroke: string; triangle: number; shares: Point }
  | { do: "time-by-gesture"; use: string; time: number; samples: Point[] }
  | { do: "travel-along"; samples: Point[]; as_drawn?: boolean }
  | { do: "open-file"; number: number; motion?: boolean }
  | { do: "turn-joint"; joint: number; axis: Point; angle: number; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean }
  | { do: "move-joint"; joint: number; by: Point; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean }
  | { do: "stretch-bone"; joint: number; stretch: number; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean }
  | { do: "scale-joint"; joint: number; size: number; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean }
  | { do: "reset-joint"; joint: number; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean }
  | { do: "pose-by-strokes"; baseline: Point[]; offset: Point[]; again?: string; part?: boolean; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean; radius: number; joints?: number[]; stretch?: number; twist?: boolean }
  | { do: "pull-pose-knot"; pose: string; knot: number; to: Point; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean; radius: number; joints?: number[]; stretch?: number; twist?: boolean }
  | { do: "move-pose-line"; pose: string; by: Point; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean; radius: number; joints?: number[]; stretch?: number; twist?: boolean }
  | { do: "delete-pose-knot"; pose: string; knot: number; time: number; pins?: number[]; ranges?: boolean; limits?: [number, number][]; key?: boolean; fresh?: boolean; done?: boolean; radius: number; joints?: number[]; stretch?: number; twist?: boolean }
  | { do: "limp"; joint?: number | null; view?: number }
  | { do: "save"; name?: string; replace?: boolean }
  | { do: "open-document"; key: string }
  | { do: "go-on"; take: boolean }
  | { do: "look-from"; position: Point; target: Point }
  | { do: "add-thing"; kind: string; at: Point; size: number; mass?: number | null }
  | { do: "move-thing"; name: string; at: Point; velocity?: Point | null }
  | { do: "remove-thing"; name: string }
  | { do: "start-capture"; port?: number }
  | { do: "stop-capture" }
  | { do: "start-recording" }
  | { do: "stop-recording" }
  | { do: "start-sending"; host?: string; port?: number }
  | { do: "stop-sending" }
  | { do: "start-job"; kind: string; suffix: string; view?: number }
  | { do: "cancel-job"; job: number }
  | { do: "resume-job"; job: number }
  | { do: "forget-job"; job: number }
  | { do: "undo" }
  | { do: "redo" }
  | { do: "show"; joints?: boolean | null; measure?: string | null; curves?: boolean | null; lines?: string | null; dividers?: boolean | null; region?: string | null }
  | { do: "show-ghosts"; on?: boolean | null; before?: number | null; after?: number | null; spacing?: number | null; trail?: string | null }
  | { do: "drawn"; frame: number; view?: number };

/** A place of the skin, among vertices by shares. */
export interface SkinPlace {
  vertices: number[];
  shares: number[];
}

/** Which frame was seen, and from where; `view_angle` [rad] is from lower to upper edge, `size` in pixels. */
export interface Look {
  frame: number;
  position: Point;
  target: Point;
  up: Point;
  view_angle: number;
  size: [number, number];
}

/** What a pen drew while one picture was seen: pixels across and down, and how hard it was pressed. */
export interface Stretch {
  look: Look;
  samples: Point[];
}

/** Which mesh frames are of: `mesh` changes when its triangles do, and names what `/mesh/{mesh}` gives. */
export interface MeshInfo {
  mesh: number;
  vertices: number;
  points: number;
  triangles: number;
  size: number;
}

/** The joints by name, on which each one hangs, -1 on none, and how far from that one it is at rest [m]. */
export interface SkeletonInfo {
  names: string[];
  parents: number[];
  lengths: number[];
  sizes: number[];
}

/** A measure that can be shown as colours; `signed` ones lie on both sides of zero. */
export interface MeasureInfo {
  name: string;
  label: string;
  unit: string;
  signed: boolean;
}

/** What comes with every frame besides the skin, and which measures and lines could. */
export interface ShownInfo {
  joints: boolean;
  measure: MeasureInfo | null;
  measures: MeasureInfo[];
  curves: boolean;
  lines: string;
  lines_offered: string[];
}

/** How many ghosts are before and after the character, every so many frames, and the joint whose way is drawn. */
export interface GhostsInfo {
  on: boolean;
  before: number;
  after: number;
  spacing: number;
  trail: string;
}

/** Where the motion is; `duration` is None where it has no end, `span` is the part that is played over and over. */
export interface TransportInfo {
  motion: string;
  playing: boolean;
  rate: number;
  duration: number | null;
  fps: number;
  loops: boolean;
  span: [number, number] | null;
  as_baked: string;
}

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

/** A stage of a graph: its skin, or "blend", the stages it stands on, and its settings. */
export interface StageInfo {
  name: string;
  skin: string;
  inputs: string[];
  settings: SettingRow[];
  muted: boolean;
}

/** A map that a skin reads: what its values mean, their range, and whether it is painted. */
export interface MapRow {
  name: string;
  label: string;
  low: number;
  high: number;
  default: number | null;
  unit: string;
  painted: boolean;
}

/** One character that is shown: the stages of its graph, the last being the result, and what is being bound. */
export interface ViewInfo {
  view: number;
  stages: StageInfo[];
  preparing: string | null;
  maps: MapRow[];
}

/** A key of a layer. */
export interface KeyInfo {
  time: number;
  use: string;
  amount: number;
  ease: string;
}

/** A layer of edits. */
export interface LayerInfo {
  name: string;
  amount: number;
  repeat: boolean;
  firmness: number;
  mute: boolean;
  solo: boolean;
  keys: KeyInfo[];
}

/** A way from 0 to 1, and where it is at even steps of the time. */
export interface EasingInfo {
  name: string;
  curve: number[];
}

/** A stroke on the skin: the triangles of its knots and the shares of their corners, and how high it raises it. */
export interface StrokeInfo {
  name: string;
  triangles: number[];
  shares: Point[];
  height: number;
}

/** The lines that a pose was drawn by at a time of the motion: both as they run, and the knots of the offset. */
export interface PoseStrokesInfo {
  pose: string;
  time: number;
  baseline: Point[];
  offset: Point[];
  knots: Point[];
}

/** The skin round a stroke as vertices: those under it, those that follow, and the ring that stays. */
export interface RegionInfo {
  stroke: string;
  held: number[];
  following: number[];
  staying: number[];
  reach: number;
}

/** What was drawn: names of shapes, poses and strokes, and the layers that play them. */
export interface EditsInfo {
  shapes: string[];
  poses: string[];
  strokes: string[];
  layers: LayerInfo[];
  easings: EasingInfo[];
  firm: boolean;
  skin_strokes: StrokeInfo[];
  profiles: string[];
  pose_strokes: PoseStrokesInfo[];
  region: RegionInfo | null;
}

/** What brushes can do: to maps, to drawn shapes, on both sides of the body if they are alike; who reads maps. */
export interface PaintInfo {
  actions: string[];
  retouching: string[];
  mirrors: boolean;
  skins: string[];
}

/** From where the character is looked at, and on what point, both from the middle of the body. */
export interface CameraInfo {
  position: Point;
  target: Point;
}

/** A document that can be opened: in the folder, or open before. */
export interface KnownDocument {
  key: string;
  name: string;
  folder: string;
}

/** Where the document is kept: its name, if it has one, and whether all of it is on disk. */
export interface SavingInfo {
  name: string | null;
  saved: boolean;
  folder: string;
  opened: number;
  camera: CameraInfo | null;
  known: KnownDocument[];
  left_open: string | null;
}

/** A job: `state` is waiting, running, done, cancelled or failed; `/result/{number}` gives what it made. */
export interface JobInfo {
  number: number;
  label: string;
  name: string;
  state: string;
  what: string;
  done: number;
  total: number;
  words: string;
  size: number | null;
}

/** Files that can be made beside what plays, of one skin or of all that are compared. */
export interface JobKindInfo {
  kind: string;
  label: string;
  suffixes: string[];
  one_skin: boolean;
}

/** Live capture. `light` is off, waiting, live, or lost since a second without a pose. */
export interface CaptureInfo {
  light: string;
  port: number;
  host: string;
  delay: number;
  loss: number;
  packets: number;
  followed: number;
  recorded: number | null;
  sending: string | null;
}

/** A thing in the way: a ball (radius), box (sides) or capsule (radius, length) of that `size` [m]. */
export interface ThingRow {
  name: string;
  kind: string;
  size: number[];
  free: boolean;
}

/** What is in the way, in the order of their frames, and whether any skin meets it. */
export interface ThingsInfo {
  rows: ThingRow[];
  met: boolean;
}

/** A plane between the skin of two bones: its point [m] and normal in the axes of the joint that it goes along with. */
export interface DividerInfo {
  joint: number;
  label: string;
  point: Point;
  normal: Point;
  size: number;
  by: Point;
  turn: Point;
}

/** Of a view: its volume [% of rest], the largest stretch [%] and the mean speed [m/s]; None where it has none. */
export interface CurveValues {
  volume: number | null;
  stretch: number;
  speed: number | null;
}

/** A file that can be opened; `kind` is character, motion or either, `sent` says that a page sent it [bytes]. */
export interface FileInfo {
  number: number;
  name: string;
  kind: string;
  sent: boolean;
  size: number;
}

/** All that a panel shows; sent when a window opens and whenever it changes. */
export interface State {
  event: "state";
  revision: number;
  character: string;
  mesh: MeshInfo;
  skeleton: SkeletonInfo;
  shown: ShownInfo;
  ghosts: GhostsInfo;
  transport: TransportInfo;
  views: ViewInfo[];
  edits: EditsInfo;
  paint: PaintInfo;
  saving: SavingInfo;
  jobs: JobInfo[];
  job_kinds: JobKindInfo[];
  capture: CaptureInfo;
  things: ThingsInfo;
  dividers: DividerInfo[];
  skins: string[];
  tops: string[];
  motions: string[];
  characters: string[];
  opening: string | null;
  undo: string | null;
  redo: string | null;
  past: string[];
  future: string[];
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

/** Measures of all views at a time of the motion, about ten times a second while they are wanted. */
export interface CurvesInfo {
  event: "curves";
  time: number;
  views: CurveValues[];
}

/** What `GET /files` answers: the name of the folder, if any, all files, and what may be sent. */
export interface Files {
  folder: string | null;
  files: FileInfo[];
  largest: number;
  suffixes: string[];
}

export type Event = State | Refused | Told | CurvesInfo;
