// Which place of the skin a ray meets first: every triangle of the last frame is asked [Möller and Trumbore 1997].
import type { Vector3 } from "../three";
import type { Place, Skin } from "./skin";

/** The nearest place that the ray meets, or null. `direction` need not be a unit vector. */
export function pick(skin: Skin, origin: Vector3, direction: Vector3): Place | null {
  if (!skin.frame) return null;
  const { packed, low, side } = skin.frame;
  const { triangles } = skin.data;
  const scale = 65535 / side;
  const [ox, oy, oz] = [
    (origin.x - low[0]) * scale,
    (origin.y - low[1]) * scale,
    (origin.z - low[2]) * scale,
  ];
  const [dx, dy, dz] = [direction.x * scale, direction.y * scale, direction.z * scale];
  let nearest = Number.POSITIVE_INFINITY;
  let found: Place | null = null;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 4 * triangles[t]!;
    const b = 4 * triangles[t + 1]!;
    const c = 4 * triangles[t + 2]!;
    const ax = packed[a]!;
    const ay = packed[a + 1]!;
    const az = packed[a + 2]!;
    const e1x = packed[b]! - ax;
    const e1y = packed[b + 1]! - ay;
    const e1z = packed[b + 2]! - az;
    const e2x = packed[c]! - ax;
    const e2y = packed[c + 1]! - ay;
    const e2z = packed[c + 2]! - az;
    const px = dy * e2z - dz * e2y;
    const py = dz * e2x - dx * e2z;
    const pz = dx * e2y - dy * e2x;
    const determinant = e1x * px + e1y * py + e1z * pz;
    if (determinant === 0) continue;
    const sx = ox - ax;
    const sy = oy - ay;
    const sz = oz - az;
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = sy * e1z - sz * e1y;
    const qy = sz * e1x - sx * e1z;
    const qz = sx * e1y - sy * e1x;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const distance = (e2x * qx + e2y * qy + e2z * qz) / determinant;
    if (distance <= 0 || distance >= nearest) continue;
    nearest = distance;
    found = { triangle: t / 3, points: [a / 4, b / 4, c / 4], shares: [Math.max(0, 1 - u - v), u, v] };
  }
  return found;
}
