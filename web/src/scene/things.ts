// Things in the way of the character: balls, boxes and capsules, where the last frame has them.
import type { ThingsFrame } from "../frames";
import type { ThingRow } from "../messages";
import {
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  GLSL3,
  Group,
  type Matrix4,
  Mesh,
  RawShaderMaterial,
  SphereGeometry,
  Vector3,
} from "../three";
import { KEY_DIRECTION, LOOKS, type Look } from "./looks";

const VERTEX = `
precision highp float;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position, normal;
out vec3 outward;
void main() {
  outward = mat3(modelMatrix) * normal;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}`;
const FRAGMENT = `
precision highp float;
uniform vec3 thing_colour, sky, floor_light, key_colour, key_direction;
in vec3 outward;
out vec4 colour;
void main() {
  vec3 n = normalize(outward);
  vec3 light = mix(floor_light, sky, 0.5 + 0.5 * n.y) + key_colour * max(dot(n, key_direction), 0.0);
  colour = vec4(pow(thing_colour * light, vec3(1.0 / 2.2)), 1.0);
}`;

function shapeOf({ kind, size }: ThingRow): BufferGeometry {
  const [first = 0.1, second = 0.1, third = 0.1] = size;
  if (kind === "box") return new BoxGeometry(first, second, third);
  if (kind === "capsule") return new CapsuleGeometry(first, second, 8, 24);
  return new SphereGeometry(first, 32, 20);
}

export class Things {
  readonly group = new Group();
  private readonly material: RawShaderMaterial;
  private rows: readonly ThingRow[] = [];

  constructor(look: Look) {
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { key_direction: { value: KEY_DIRECTION } },
    });
    this.wear(look);
  }

  wear(look: Look): void {
    const { thing_colour, sky, floor_light, key_colour } = LOOKS[look];
    for (const [name, value] of Object.entries({ thing_colour, sky, floor_light, key_colour }))
      this.material.uniforms[name] = { value };
    this.material.uniformsNeedUpdate = true;
  }

  /** Other things, of which the frames to come are. */
  set(rows: readonly ThingRow[]): void {
    if (JSON.stringify(rows) === JSON.stringify(this.rows)) return;
    for (const old of [...this.group.children] as Mesh[]) {
      old.geometry.dispose();
      this.group.remove(old);
    }
    this.rows = rows;
    for (const row of rows) {
      const mesh = new Mesh(shapeOf(row), this.material);
      mesh.matrixAutoUpdate = false;
      mesh.visible = false;
      this.group.add(mesh);
    }
  }

  show({ transforms }: ThingsFrame): void {
    if (transforms.length !== 12 * this.rows.length) return;
    this.group.children.forEach((mesh, i) => {
      const rows = [...transforms.subarray(12 * i, 12 * i + 12), 0, 0, 0, 1];
      mesh.matrix.set(...(rows as Parameters<Matrix4["set"]>));
      mesh.visible = true;
    });
  }

  /** The thing that a ray meets first, by the ball about it, and where its middle is. */
  pick(from: Vector3, direction: Vector3): { name: string; at: Vector3 } | null {
    let [best, nearest] = [null as { name: string; at: Vector3 } | null, Number.POSITIVE_INFINITY];
    this.group.children.forEach((mesh, i) => {
      const row = this.rows[i]!;
      const at = new Vector3().setFromMatrixPosition(mesh.matrix);
      const along = at.clone().sub(from).dot(direction);
      const off = at.clone().sub(from).addScaledVector(direction, -along).length();
      if (mesh.visible && along > 0 && along < nearest && off < reachOf(row))
        [best, nearest] = [{ name: row.name, at }, along];
    });
    return best;
  }
}

/** How far a thing reaches from its middle, about [m]. */
export function reachOf({ kind, size }: ThingRow): number {
  const [first = 0.1, second = 0.1] = size;
  if (kind === "box") return 0.75 * first;
  return kind === "capsule" ? first + second / 2 : first;
}
