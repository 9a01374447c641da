// The floor: a grid that fades away and the soft shadow of the body, drawn small from above and blurred.
import {
  GLSL3,
  Mesh,
  OrthographicCamera,
  PlaneGeometry,
  RawShaderMaterial,
  Scene,
  Vector2,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "../three";
import { LOOKS, type Look } from "./looks";
import { FLOOR_FRAGMENT, FLOOR_VERTEX } from "./shaders";
import type { Skin } from "./skin";

const TEXELS = 256;
const MAN = 1.8; // [m]

export class Floor {
  readonly mesh: Mesh;
  readonly shadowUniforms = { shadow_centre: { value: new Vector2() }, shadow_reach: { value: 2 } };
  private readonly target = new WebGLRenderTarget(TEXELS, TEXELS, { depthBuffer: false });
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera();
  private readonly material: RawShaderMaterial;

  constructor(look: Look) {
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR_FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: 2,
      uniforms: {
        ...this.shadowUniforms,
        floor_reach: { value: 8 },
        spacing: { value: 1 },
        shadow: { value: this.target.texture },
        line_colour: { value: null },
        line_strength: { value: 0 },
        shadow_strength: { value: 0 },
      },
    });
    this.mesh = new Mesh(new PlaneGeometry(2, 2), this.material);
    this.mesh.frustumCulled = false;
    this.wear(look);
  }

  wear(look: Look): void {
    for (const name of ["line_colour", "line_strength", "shadow_strength"] as const) {
      this.material.uniforms[name]!.value = LOOKS[look][name];
    }
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.target.dispose();
  }

  /** How large the character is [m]: floor and shadow reach as far as it asks. */
  fit(size: number): void {
    this.shadowUniforms.shadow_reach.value = 1.1 * size;
    this.material.uniforms.floor_reach!.value = 5 * size;
    this.material.uniforms.spacing!.value = 10 ** Math.round(Math.log10(size / MAN)); // 1 m under a person
  }

  /** Draw the shadow of the skin about this place of the floor. */
  cast(renderer: WebGLRenderer, skin: Skin, x: number, z: number): void {
    this.shadowUniforms.shadow_centre.value.set(x, z);
    if (skin.shadow.parent !== this.scene) {
      this.scene.clear();
      this.scene.add(skin.shadow);
    }
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(this.scene, this.camera);
    renderer.setRenderTarget(null);
  }
}
