// The binary messages: frames of a skin and of its joints, and the mesh they are of. Little endian throughout.

const FRAME_MAGIC = 0x464c5053; // "SPLF"
const MESH_MAGIC = 0x4d4c5053; // "SPLM"
const HEAD = 64;
const SKIN = 1;
const COLOURS = 2;
const JOINTS = 3;
const TRAIL = 4;
const AMOUNTS = 5;
const THINGS = 6;
const LINES = 7;

/** The way of a joint: three floats a place [m]. */
export interface TrailFrame {
  kind: "trail";
  view: number;
  mesh: number;
  frame: number;
  places: Float32Array;
}

/** How much there is of every shape and then of every pose. */
export interface AmountsFrame {
  kind: "amounts";
  view: number;
  mesh: number;
  frame: number;
  amounts: Float32Array;
}

/** One frame of a measure: a byte for every display point, 0 for `low` and 255 for `high`. */
export interface ColoursFrame {
  kind: "colours";
  view: number;
  mesh: number;
  frame: number;
  low: number;
  high: number;
  values: Uint8Array; // a view of the message, not a copy
}

/** One frame of the joints: twelve floats each, the upper three rows of its transform to the world. */
export interface JointsFrame {
  kind: "joints";
  view: number;
  mesh: number;
  frame: number;
  transforms: Float32Array; // a view of the message, not a copy
}

/** One frame of the things in the way: twelve floats each, the upper three rows of its transform to the world. */
export interface ThingsFrame {
  kind: "things";
  view: number;
  mesh: number;
  frame: number;
  transforms: Float32Array; // a view of the message, not a copy
}

/** Lines from a skin: six floats each, from where to where [m]; `longest` is what the longest stands for. */
export interface LinesFrame {
  kind: "lines";
  view: number;
  mesh: number;
  frame: number;
  longest: number;
  places: Float32Array; // a view of the message, not a copy
}

/** One frame of a skin: display points as four uint16 each, x, y, z in a cube and an octahedral normal. */
export interface SkinFrame {
  kind: "skin";
  view: number;
  mesh: number;
  frame: number;
  lastCommand: number;
  motionTime: number; // [s]
  fleshTime: number; // [s]
  low: [number, number, number]; // corner of the cube [m]
  side: number; // of the cube [m]
  engineMicroseconds: number;
  packed: Uint16Array; // 4 a point, a view of the message, not a copy
}

/** Triangles among display points, which vertex each display point is of, and the joint that moves a vertex most. */
export interface MeshData {
  points: number;
  triangles: Uint32Array;
  vertexOfPoint: Uint32Array;
  jointOfVertex: Uint32Array;
}

/** Any frame. */
export type Frame =
  | SkinFrame
  | ColoursFrame
  | JointsFrame
  | TrailFrame
  | AmountsFrame
  | ThingsFrame
  | LinesFrame;

/** A frame from a binary message, or null where it is none. */
export function readFrame(message: ArrayBuffer): Frame | null {
  if (message.byteLength < HEAD) return null;
  const head = new DataView(message, 0, HEAD);
  if (head.getUint32(0, true) !== FRAME_MAGIC || head.getUint8(4) !== 1) return null;
  const kind = head.getUint8(5);
  const count = head.getUint32(40, true);
  const about = {
    view: head.getUint32(8, true),
    mesh: head.getUint32(12, true),
    frame: head.getUint32(16, true),
  };
  if (kind === JOINTS && message.byteLength >= HEAD + 48 * count)
    return { kind: "joints", ...about, transforms: new Float32Array(message, HEAD, 12 * count) };
  if (kind === THINGS && message.byteLength >= HEAD + 48 * count)
    return { kind: "things", ...about, transforms: new Float32Array(message, HEAD, 12 * count) };
  if (kind === COLOURS && message.byteLength >= HEAD + count) {
    const [low, high] = [head.getFloat32(44, true), head.getFloat32(48, true)];
    return { kind: "colours", ...about, low, high, values: new Uint8Array(message, HEAD, count) };
  }
  if (kind === LINES && message.byteLength >= HEAD + 24 * count) {
    const places = new Float32Array(message, HEAD, 6 * count);
    return { kind: "lines", ...about, longest: head.getFloat32(44, true), places };
  }
  if (kind === TRAIL && message.byteLength >= HEAD + 12 * count)
    return { kind: "trail", ...about, places: new Float32Array(message, HEAD, 3 * count) };
  if (kind === AMOUNTS && message.byteLength >= HEAD + 4 * count)
    return { kind: "amounts", ...about, amounts: new Float32Array(message, HEAD, count) };
  if (kind !== SKIN || message.byteLength < HEAD + 8 * count) return null;
  return {
    kind: "skin",
    ...about,
    lastCommand: head.getUint32(20, true),
    motionTime: head.getFloat64(24, true),
    fleshTime: head.getFloat64(32, true),
    low: [head.getFloat32(44, true), head.getFloat32(48, true), head.getFloat32(52, true)],
    side: head.getFloat32(56, true),
    engineMicroseconds: head.getUint32(60, true),
    packed: new Uint16Array(message, HEAD, 4 * count),
  };
}

/** Where the root of the body is in a frame [m]: its cube lies about it. */
export function rootOf({ low, side }: SkinFrame): [number, number, number] {
  return [low[0] + side / 2, low[1] + side / 2, low[2] + side / 2];
}

/** The mesh from what `/mesh/{mesh}` gives. */
export function readMesh(message: ArrayBuffer): MeshData {
  const head = new Uint32Array(message, 0, 5);
  const [magic, version, points = 0, triangles = 0, vertices = 0] = head;
  if (magic !== MESH_MAGIC || version !== 1)
    throw new Error("this is no mesh of the studio; reload the page");
  return {
    points,
    triangles: new Uint32Array(message, 20, 3 * triangles),
    vertexOfPoint: new Uint32Array(message, 20 + 12 * triangles, points),
    jointOfVertex: new Uint32Array(message, 20 + 12 * triangles + 4 * points, vertices),
  };
}
