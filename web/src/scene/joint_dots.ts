// Joints as dots, smaller on a low stage alone, seen through the skin: lit ones in the colour of marks, pinned ones square.
import type { Scene, Vector3 } from "../three";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  GLSL3,
  Mesh,
  RawShaderMaterial,
  Vector2,
} from "../three";
import type { Pixels } from "./gizmo";
import { LOOKS, type Look } from "./looks";

/** How a dot looks; bits that add up. */
export const LIT = 1;
export const PINNED = 2;
export const LARGE = 4;

const ROOMY = 460; // [CSS pixels]: a stage as high has dots of the usual size
const SMALLEST = 0.6; // of that

const CORNERS = [-1, -1, 1, -1, 1, 1, -1, 1];
const FACES = [0, 1, 2, 0, 2, 3];

const VERTEX = /* glsl */ `
precision highp float;
in vec3 position;
in vec3 corner; // and how it looks
uniform mat4 viewMatrix, projectionMatrix;
uniform vec2 window; // [CSS pixels]
uniform float size; // 1 is the usual one
out vec2 at; // [CSS pixels] from the middle
flat out float kind;
void main() {
  at = 11.0 * corner.xy;
  kind = corner.z;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  gl_Position.xy += 2.0 * size * at / window * gl_Position.w;
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec2 at;
flat in float kind;
uniform vec3 plain, lit, edge;
out vec4 colour;
void main() {
  float radius = kind >= 4.0 ? 6.5 : 4.0;
  bool square = mod(floor(kind / 2.0), 2.0) > 0.5;
  float away = square ? max(abs(at.x), abs(at.y)) + 0.5 : length(at);
  float inside = 1.0 - smoothstep(radius - 0.6, radius + 0.6, away);
  float rim = 1.0 - smoothstep(radius + 0.9, radius + 2.1, away);
  if (rim <= 0.0) discard;
  colour = vec4(mix(edge, mod(kind, 2.0) > 0.5 ? lit : plain, inside), rim * mix(0.7, 1.0, inside));
}`;

export class JointDots {
  private readonly material: RawShaderMaterial;
  private readonly mesh: Mesh;
  private count = -1;

  constructor(
    private readonly scene: Scene,
    look: Look,
  ) {
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      uniforms: {
        window: { value: new Vector2(1, 1) },
        size: { value: 1 },
        plain: { value: new Color() },
        lit: { value: new Color() },
        edge: { value: new Color() },
      },
    });
    this.mesh = new Mesh(new BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 11;
    this.mesh.visible = false;
    this.scene.add(this.mesh);
    this.wear(look);
  }

  wear(look: Look): void {
    const { plain, lit, edge } = this.material.uniforms;
    plain!.value.setHex(LOOKS[look].bones, "");
    lit!.value.setHex(LOOKS[look].ring, "");
    edge!.value.setHex(look === "dark" ? 0x15181d : 0xffffff, "");
  }

  hide(): void {
    this.mesh.visible = false;
  }

  /** Dots where the joints are; `kinds` say how each looks. */
  show(places: readonly Vector3[], kinds: Uint8Array, { width, height }: Pixels): void {
    if (places.length !== this.count) this.resize(places.length);
    const position = this.mesh.geometry.getAttribute("position") as BufferAttribute;
    const corner = this.mesh.geometry.getAttribute("corner") as BufferAttribute;
    places.forEach(({ x, y, z }, dot) => {
      for (let i = 4 * dot; i < 4 * dot + 4; i++) {
        position.setXYZ(i, x, y, z);
        corner.setZ(i, kinds[dot]!);
      }
    });
    position.needsUpdate = true;
    corner.needsUpdate = true;
    this.material.uniforms.window!.value.set(width, height);
    this.material.uniforms.size!.value = Math.min(1, Math.max(SMALLEST, height / ROOMY));
    this.mesh.visible = true;
  }

  private resize(count: number): void {
    this.count = count;
    this.mesh.geometry.dispose();
    const corners = Array.from({ length: 4 * count }, (_, i) => [
      CORNERS[2 * (i % 4)]!,
      CORNERS[2 * (i % 4) + 1]!,
      0,
    ]);
    const attribute = (values: Float32Array) => new BufferAttribute(values, 3).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry()
      .setAttribute("position", attribute(new Float32Array(12 * count)))
      .setAttribute("corner", attribute(new Float32Array(corners.flat())));
    geometry.setIndex(
      Array.from({ length: count }, (_, dot) => FACES.map((corner) => 4 * dot + corner)).flat(),
    );
    this.mesh.geometry = geometry;
  }
}
