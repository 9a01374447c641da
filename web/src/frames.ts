// The binary messages: frames of a skin and the mesh they are of. Little endian throughout.

const FRAME_MAGIC = 0x464c5053; // "SPLF"
const MESH_MAGIC = 0x4d4c5053; // "SPLM"
const HEAD = 64;
const SKIN = 1;

/** One frame of a skin: display points as four uint16 each, x, y, z in a cube and an octahedral normal. */
export interface SkinFrame {
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

/** Triangles among display points, and which vertex each display point is of. */
export interface MeshData {
  points: number;
  triangles: Uint32Array;
  vertexOfPoint: Uint32Array;
}

/** A frame from a binary message, or null where it is not one of a skin. */
export function readFrame(message: ArrayBuffer): SkinFrame | null {
  if (message.byteLength < HEAD) return null;
  const head = new DataView(message, 0, HEAD);
  if (head.getUint32(0, true) !== FRAME_MAGIC || head.getUint8(4) !== 1 || head.getUint8(5) !== SKIN)
    return null;
  const count = head.getUint32(40, true);
  if (message.byteLength < HEAD + 8 * count) return null;
  return {
    view: head.getUint32(8, true),
    mesh: head.getUint32(12, true),
    frame: head.getUint32(16, true),
    lastCommand: head.getUint32(20, true),
    motionTime: head.getFloat64(24, true),
    fleshTime: head.getFloat64(32, true),
    low: [head.getFloat32(44, true), head.getFloat32(48, true), head.getFloat32(52, true)],
    side: head.getFloat32(56, true),
    engineMicroseconds: head.getUint32(60, true),
    packed: new Uint16Array(message, HEAD, 4 * count),
  };
}

/** The mesh from what `/mesh/{mesh}` gives. */
export function readMesh(message: ArrayBuffer): MeshData {
  const head = new Uint32Array(message, 0, 5);
  const [magic, version, points = 0, triangles = 0] = head;
  if (magic !== MESH_MAGIC || version !== 1)
    throw new Error("this is no mesh of the studio; reload the page");
  return {
    points,
    triangles: new Uint32Array(message, 20, 3 * triangles),
    vertexOfPoint: new Uint32Array(message, 20 + 12 * triangles, points),
  };
}
