// Ink over the stage: lines and dots in CSS pixels of the pane that tools work in, drawn anew with every picture.
import type { Look } from "../../scene/looks";
import type { Stage } from "../../scene/stage";
import { Vector2, type Vector3 } from "../../three";

const COLOURS = {
  dark: { line: "#ffd9a0", edge: "rgb(20 22 26 / 0.75)", chosen: "#ffffff" },
  light: { line: "#8a3f10", edge: "rgb(255 255 255 / 0.85)", chosen: "#1d1f24" },
} as const;

export class Ink {
  private readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d")!;
  private empty = true;

  constructor(
    private readonly stage: Stage,
    private look: Look,
  ) {
    this.canvas.className = "ink";
    this.canvas.setAttribute("aria-hidden", "true");
  }

  wear(look: Look): void {
    this.look = look;
  }

  /** Away with all that was drawn; what follows is drawn for this picture. */
  clear(): void {
    const { clientWidth, clientHeight } = this.stage.canvas;
    if (!this.canvas.isConnected) this.stage.canvas.after(this.canvas);
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    } else if (!this.empty) {
      this.context.setTransform(1, 0, 0, 1, 0, 0);
      this.context.clearRect(0, 0, width, height);
    }
    const { left, top } = this.stage.boxOf(this.stage.pane);
    this.context.setTransform(ratio, 0, 0, ratio, ratio * left, ratio * top);
    this.empty = true;
  }

  /** A line through pixels, as wide at each as the pen was pressed. */
  line(pixels: readonly Vector2[], pressures: readonly number[]): void {
    this.empty = false;
    const { context } = this;
    const { line, edge } = COLOURS[this.look];
    context.lineCap = context.lineJoin = "round";
    for (const [colour, wider] of [
      [edge, 2.5],
      [line, 0],
    ] as const) {
      context.strokeStyle = colour;
      for (let i = 0; i < Math.max(1, pixels.length - 1); i++) {
        const [a, b] = [pixels[i]!, pixels[i + 1] ?? pixels[i]!];
        context.lineWidth = 1.2 + 4 * (pressures[i] ?? 0.5) + wider;
        context.beginPath();
        context.moveTo(a.x, a.y);
        context.lineTo(b.x, b.y);
        context.stroke();
      }
    }
  }

  /** A thin smooth line through the knots of a stroke [Catmull and Rom 1974]. */
  curve(knots: readonly Vector2[], strong: boolean): void {
    if (knots.length < 2) return;
    this.empty = false;
    const { context } = this;
    const { line, edge } = COLOURS[this.look];
    context.beginPath();
    context.moveTo(knots[0]!.x, knots[0]!.y);
    for (let i = 0; i + 1 < knots.length; i++) {
      const [before, a, b] = [knots[i - 1] ?? knots[i]!, knots[i]!, knots[i + 1]!];
      const after = knots[i + 2] ?? b;
      context.bezierCurveTo(
        a.x + (b.x - before.x) / 6,
        a.y + (b.y - before.y) / 6,
        b.x - (after.x - a.x) / 6,
        b.y - (after.y - a.y) / 6,
        b.x,
        b.y,
      );
    }
    context.globalAlpha = strong ? 1 : 0.55;
    for (const [colour, width] of [
      [edge, 3.5],
      [line, 1.5],
    ] as const) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /** A straight stem from one pixel to another. */
  stem(from: Vector2, to: Vector2): void {
    this.curve([from, to], true);
  }

  dot(pixel: Vector2, radius: number, chosen: boolean): void {
    this.mark(() => this.context.arc(pixel.x, pixel.y, radius, 0, 2 * Math.PI), chosen);
  }

  private mark(outline: () => void, chosen: boolean): void {
    this.empty = false;
    const { context } = this;
    const { line, edge, chosen: white } = COLOURS[this.look];
    context.beginPath();
    outline();
    context.fillStyle = chosen ? white : line;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = chosen ? line : edge;
    context.stroke();
  }

  /** A square, half as wide as this. */
  square(pixel: Vector2, half: number, chosen: boolean): void {
    this.mark(() => this.context.rect(pixel.x - half, pixel.y - half, 2 * half, 2 * half), chosen);
  }

  /** Where a place of the world is seen in the pane, in CSS pixels. */
  pixel(position: Vector3): Vector2 {
    const { width, height } = this.stage.boxOf(this.stage.pane);
    const seen = position.clone().project(this.stage.viewer.camera);
    return new Vector2(((1 + seen.x) / 2) * width, ((1 - seen.y) / 2) * height);
  }
}
