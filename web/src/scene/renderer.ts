// What draws: with less care where there is no graphics card, so that it stays quick.
import { WebGLRenderer } from "../three";

/** The name of what draws, or null where the browser cannot draw in three dimensions. */
export function rendererName(): string | null {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return null;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "unknown";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}

export function isSoftware(name: string): boolean {
  return /swiftshader|llvmpipe|software/i.test(name);
}

export function makeRenderer(canvas: HTMLCanvasElement, software: boolean): WebGLRenderer {
  const renderer = new WebGLRenderer({
    canvas,
    alpha: true,
    antialias: !software,
    powerPreference: "high-performance",
  });
  renderer.setPixelRatio(software ? 1 : Math.min(2, devicePixelRatio));
  renderer.setClearColor(0, 0);
  renderer.autoClear = true;
  return renderer;
}
