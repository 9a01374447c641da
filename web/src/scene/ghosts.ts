// Ghosts: the character a little earlier and later, seen through, and the way of a joint as a line.
import type { MeshData, SkinFrame, TrailFrame } from "../frames";
import type { GhostsInfo } from "../messages";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  GLSL3,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  RawShaderMaterial,
  Vector3,
} from "../three";
import { LOOKS, type Look } from "./looks";
import { GHOST_FRAGMENT, SKIN_VERTEX } from "./shaders";

export const FIRST_GHOST = 16; // frames of ghosts have numbers of views from here on
const STRONGEST = 0.42; // opacity of the nearest ghost

interface Ghost {
  mesh: Mesh;
  attribute: BufferAttribute;
  frame: SkinFrame;
}

export class Ghosts {
  readonly group = new Group();
  private readonly ghosts = new Map<number, Ghost>();
  private readonly trail: Line;
  private readonly trailMaterial: LineBasicMaterial;
  private wanted: GhostsInfo | null = null;
  private step = 0.1; // between two ghosts [s]
  private mesh: { number: number; data: MeshData } | null = null;

  constructor(private look: Look) {
    this.trailMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.9, depthTest: false });
    this.trail = new Line(new BufferGeometry(), this.trailMaterial);
    this.trail.frustumCulled = false;
    this.trail.renderOrder = 9;
    this.trail.visible = false;
    this.group.add(this.trail);
    this.wear(look);
  }

  setMesh(number: number, data: MeshData): void {
    this.mesh = { number, data };
    for (const view of [...this.ghosts.keys()]) this.forget(view);
    this.trail.visible = false;
  }

  /** How many there are to be, and how far apart. */
  want(shown: GhostsInfo, fps: number): void {
    this.wanted = shown;
    this.step = shown.spacing / (fps || 60);
    if (!shown.on) for (const view of [...this.ghosts.keys()]) this.forget(view);
    this.trail.visible &&= shown.on && shown.trail !== "";
  }

  newest(frame: SkinFrame): void {
    if (!this.wanted?.on || frame.mesh !== this.mesh?.number) return;
    const ghost = this.ghosts.get(frame.view) ?? this.make(frame);
    ghost.frame = frame;
    ghost.attribute.array = frame.packed;
    ghost.attribute.needsUpdate = true;
    const { low, side } = (ghost.mesh.material as RawShaderMaterial).uniforms;
    low!.value.fromArray(frame.low);
    side!.value = frame.side;
  }

  newestTrail({ places }: TrailFrame): void {
    if (!this.wanted?.on || !this.wanted.trail) return;
    this.trail.geometry.dispose();
    this.trail.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3));
    this.trail.visible = true;
  }

  wear(look: Look): void {
    this.look = look;
    this.trailMaterial.color.set(LOOKS[look].ring);
  }

  /** Before a picture of the time: those far from it fade, and what was is blue and what comes is warm. */
  prepare(time: number): void {
    const { before = 0, after = 0 } = this.wanted ?? {};
    for (const { mesh, frame } of this.ghosts.values()) {
      const away = (frame.motionTime - time) / this.step;
      const count = away < 0 ? before : after;
      mesh.visible = Math.abs(away) > 0.05 && Math.abs(away) < count + 0.8;
      const { opacity, colour } = (mesh.material as RawShaderMaterial).uniforms;
      opacity!.value = STRONGEST * Math.max(0.3, 1 - (Math.abs(away) - 0.5) / (count + 0.5));
      colour!.value = away < 0 ? LOOKS[this.look].earlier : LOOKS[this.look].later;
      mesh.renderOrder = -Math.abs(away);
    }
  }

  private make(frame: SkinFrame): Ghost {
    const { data } = this.mesh!;
    const attribute = new BufferAttribute(frame.packed, 4, true).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry().setAttribute("packed_point", attribute);
    geometry.setIndex(new BufferAttribute(data.triangles, 1));
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: SKIN_VERTEX,
      fragmentShader: GHOST_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        low: { value: new Vector3() },
        side: { value: 1 },
        opacity: { value: 0 },
        colour: { value: new Color() },
      },
    });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    this.group.add(mesh);
    const ghost = { mesh, attribute, frame };
    this.ghosts.set(frame.view, ghost);
    return ghost;
  }

  private forget(view: number): void {
    const ghost = this.ghosts.get(view);
    if (!ghost) return;
    this.ghosts.delete(view);
    this.group.remove(ghost.mesh);
    ghost.mesh.geometry.dispose();
    (ghost.mesh.material as RawShaderMaterial).dispose();
  }
}
