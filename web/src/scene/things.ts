// Things in the way of the character: balls, boxes and capsules, where the last frame has them, and their shadows.
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
  type Object3D,
  PlaneGeometry,
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

// A soft round shadow on the floor under each, which says how far away and how high it is.
const SHADOW_VERTEX = `
precision highp float;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position;
out vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position.x, 0.0, position.y, 1.0);
}`;
const SHADOW_FRAGMENT = `
precision highp float;
uniform float strength;
in vec2 place;
out vec4 colour;
void main() {
  float within = max(0.0, 1.0 - dot(place, place));
  colour = vec4(0.0, 0.0, 0.0, strength * within * within);
}`;
const SPREAD = 1.5; // of a shadow, in reaches of what casts it
const FADES = 2.5; // reaches above the floor at which a shadow is e times as faint

function shapeOf({ kind, size }: ThingRow): BufferGeometry {
  const [first = 0.1, second = 0.1, third = 0.1] = size;
  if (kind === "box") return new BoxGeometry(first, second, third);
  if (kind === "capsule") return new CapsuleGeometry(first, second, 8, 24);
  return new SphereGeometry(first, 32, 20);
}

export class Things {
  readonly group = new Group();
  readonly shadows = new Group();
  private darkness = 0;
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
    const { thing_colour, sky, floor_light, key_colour, shadow_strength } = LOOKS[look];
    this.darkness = shadow_strength;
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
    for (const old of [...this.shadows.children] as Mesh[]) {
      old.geometry.dispose();
      (old.material as RawShaderMaterial).dispose();
      this.shadows.remove(old);
    }
    this.rows = rows;
    for (const row of rows) {
      const mesh = new Mesh(shapeOf(row), this.material);
      mesh.matrixAutoUpdate = false;
      mesh.visible = false;
      this.group.add(mesh);
      this.shadows.add(newShadow());
    }
  }

  show({ transforms }: ThingsFrame): void {
    if (transforms.length !== 12 * this.rows.length) return;
    this.group.children.forEach((mesh, i) => {
      const rows = [...transforms.subarray(12 * i, 12 * i + 12), 0, 0, 0, 1];
      mesh.matrix.set(...(rows as Parameters<Matrix4["set"]>));
      mesh.visible = true;
      this.lay(this.shadows.children[i] as Mesh, mesh, reachOf(this.rows[i]!));
    });
  }

  /** Lay a shadow under what casts it: the higher that is, the wider and the fainter. */
  private lay(shadow: Mesh, thing: Object3D, reach: number): void {
    const at = new Vector3().setFromMatrixPosition(thing.matrix);
    const above = Math.max(0, at.y - reach) / reach;
    shadow.visible = true;
    shadow.position.set(at.x, 0, at.z);
    shadow.scale.setScalar(reach * (SPREAD + 0.2 * above));
    const { uniforms } = shadow.material as RawShaderMaterial;
    uniforms.strength!.value = this.darkness * Math.exp(-above / FADES);
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

function newShadow(): Mesh {
  const material = new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: SHADOW_VERTEX,
    fragmentShader: SHADOW_FRAGMENT,
    uniforms: { strength: { value: 0 } },
    transparent: true,
    depthWrite: false,
    side: 2,
  });
  const shadow = new Mesh(new PlaneGeometry(2, 2), material);
  shadow.visible = false;
  shadow.renderOrder = 1; // after the floor
  return shadow;
}

/** How far a thing reaches from its middle, about [m]. */
export function reachOf({ kind, size }: ThingRow): number {
  const [first = 0.1, second = 0.1] = size;
  if (kind === "box") return 0.75 * first;
  return kind === "capsule" ? first + second / 2 : first;
}
