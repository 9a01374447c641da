// The skin as last told: the packed frame goes to the GPU as it came, and stays here for picking.
import type { MeshData, SkinFrame } from "../frames";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  CustomBlending,
  DynamicDrawUsage,
  GLSL3,
  Matrix3,
  MaxEquation,
  Mesh,
  OneFactor,
  RawShaderMaterial,
  Vector3,
} from "../three";
import { KEY_DIRECTION, LOOKS, type Look } from "./looks";
import { PARTS } from "./parts";
import { RAMPS, type Ramp } from "./ramps";
import { SHADOW_FRAGMENT, SHADOW_VERTEX, SKIN_FRAGMENT, SKIN_VERTEX } from "./shaders";

const DOUBLE_SIDE = 2;
const PART_COLOURS = new Matrix3().fromArray(
  PARTS.flatMap((hex) => new Color(hex).convertLinearToSRGB().toArray()),
);

/** A place of the skin: a triangle, its display points and the shares of them. */
export interface Place {
  triangle: number;
  points: [number, number, number];
  shares: [number, number, number];
}

export class Skin {
  readonly mesh: Mesh;
  readonly shadow: Mesh;
  readonly cube = { low: { value: new Vector3() }, side: { value: 1 } };
  frame: SkinFrame | null = null;
  private readonly material: RawShaderMaterial;
  private readonly attribute: BufferAttribute;
  private readonly measure: BufferAttribute;
  private readonly region: BufferAttribute;

  constructor(
    readonly number: number,
    readonly data: MeshData,
    shadowUniforms: Record<string, { value: unknown }>,
    look: Look,
  ) {
    this.attribute = new BufferAttribute(new Uint16Array(4 * data.points), 4, true).setUsage(
      DynamicDrawUsage,
    );
    this.measure = new BufferAttribute(new Uint8Array(data.points), 1, true).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("packed_point", this.attribute);
    geometry.setAttribute("measure", this.measure);
    this.region = new BufferAttribute(new Uint8Array(4 * data.points), 4, true).setUsage(DynamicDrawUsage);
    geometry.setAttribute("region", this.region);
    geometry.setIndex(new BufferAttribute(data.triangles, 1));
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: SKIN_VERTEX,
      fragmentShader: SKIN_FRAGMENT,
      side: DOUBLE_SIDE,
      uniforms: {
        ...this.cube,
        key_direction: { value: KEY_DIRECTION },
        measured: { value: 0 },
        ramp: { value: [] },
        part_colours: { value: PART_COLOURS },
      },
    });
    const shadowMaterial = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: SHADOW_VERTEX,
      fragmentShader: SHADOW_FRAGMENT,
      side: DOUBLE_SIDE,
      depthTest: false,
      depthWrite: false,
      blending: CustomBlending,
      blendEquation: MaxEquation,
      blendSrc: OneFactor,
      blendDst: OneFactor,
      uniforms: { ...this.cube, ...shadowUniforms, key_direction: { value: KEY_DIRECTION } },
    });
    this.mesh = new Mesh(geometry, this.material);
    this.shadow = new Mesh(geometry, shadowMaterial);
    this.mesh.frustumCulled = false;
    this.shadow.frustumCulled = false;
    this.wear(look);
  }

  wear(look: Look): void {
    const { skin_colour, sky, floor_light, key_colour, fill_colour, rim_colour } = LOOKS[look];
    for (const [name, value] of Object.entries({
      skin_colour,
      sky,
      floor_light,
      key_colour,
      fill_colour,
      rim_colour,
    })) {
      this.material.uniforms[name] = { value };
    }
    this.material.uniformsNeedUpdate = true;
  }

  show(frame: SkinFrame): void {
    this.frame = frame;
    this.attribute.array = frame.packed;
    this.attribute.needsUpdate = true;
    this.cube.low.value.fromArray(frame.low);
    this.cube.side.value = frame.side;
  }

  /** Show a byte for every display point as colours, or the skin itself. */
  colour(values: Uint8Array | null): void {
    this.material.uniforms.measured!.value = values ? 1 : 0;
    if (!values) return;
    this.measure.array = values;
    this.measure.needsUpdate = true;
  }

  /** Colour vertices by the part of a region that they are: held, following or staying. None of them has no colour. */
  colourRegion(parts: readonly (readonly number[])[]): void {
    const part = new Uint8Array(this.data.jointOfVertex.length);
    parts.forEach((vertices, i) => {
      for (const vertex of vertices) part[vertex] = i + 1;
    });
    const bytes = this.region.array as Uint8Array;
    bytes.fill(0);
    this.data.vertexOfPoint.forEach((vertex, point) => {
      const one = part[vertex]!;
      if (one > 0) bytes[4 * point + one - 1] = 255;
    });
    this.region.needsUpdate = true;
  }

  setRamp(ramp: Ramp): void {
    this.material.uniforms.ramp!.value = RAMPS[ramp].map((hex) => new Color(hex).convertLinearToSRGB());
  }

  /** Where a display point is [m]. */
  point(index: number, into: Vector3): Vector3 {
    const { packed, low, side } = this.frame!;
    const at = 4 * index;
    const scale = side / 65535;
    return into.set(
      low[0] + scale * packed[at]!,
      low[1] + scale * packed[at + 1]!,
      low[2] + scale * packed[at + 2]!,
    );
  }

  /** Where a place of the skin is, and which way it looks. */
  surface({ points, shares }: Place, position: Vector3, normal: Vector3): void {
    const [a, b, c] = points.map((index) => this.point(index, new Vector3())) as [Vector3, Vector3, Vector3];
    position
      .set(0, 0, 0)
      .addScaledVector(a, shares[0])
      .addScaledVector(b, shares[1])
      .addScaledVector(c, shares[2]);
    normal.crossVectors(b.sub(a), c.sub(a)).normalize();
  }

  /** The box about all points [m]. */
  bounds(low: Vector3, high: Vector3): void {
    const point = new Vector3();
    low.setScalar(Number.POSITIVE_INFINITY);
    high.setScalar(Number.NEGATIVE_INFINITY);
    for (let i = 0; i < this.data.points; i++) {
      this.point(i, point);
      low.min(point);
      high.max(point);
    }
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    (this.shadow.material as RawShaderMaterial).dispose();
  }
}
