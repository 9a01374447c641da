// Measures the page from within, where no debugger slows it: `supple bench studio` opens it with one of these.
import { effect } from "@preact/signals";
import type { Command } from "./messages";
import type { Stage } from "./scene/stage";
import * as session from "./session";
import { DragFlesh } from "./tools/drag";
import { pixelOf, placeAt } from "./tools/tool";
import { chooseTool, tools } from "./tools/toolbox";

export const MEASURED = "#measure";
export const UNDRAWN = "#measure-undrawn"; // where no graphics card is: all but the drawing

const WATCHED = 10_000; // of frames that arrive [ms]
const TIMES = 240; // that everything else is done, at most
const LONGEST = 8000; // that it takes, at most [ms]
const STROKES = 8;
const LENGTH = 30; // moves of a stroke
const DRAGGED = 3000; // how long a knot is dragged [ms]
const TWICE = 10; // back and again
const ABOVE = -0.08; // of the picture's height, where the belly is from the middle of who stands
const ARM = ["LeftArm", "LeftForeArm", "LeftHand"]; // of the hero
const HAND = { pointerId: 77, pointerType: "mouse", bubbles: true, button: 0, isPrimary: true };

type Figures = Record<string, number | number[] | string>;

/** All figures, sent to the server that was started to hear them, each as soon as it is found. */
export async function measure(stage: Stage): Promise<void> {
  const meter = new Meter(stage);
  await meter.until(() => session.state.value !== null);
  const found: Figures = {
    opened: performance.timeOrigin,
    answered: performance.timeOrigin + performance.now(),
    firstMoving: await meter.firstMoves(),
  };
  const send = (done: boolean) =>
    fetch("/measured", { method: "POST", body: JSON.stringify({ ...found, done }) });
  const find = async (name: string, figure: () => Promise<number[]>) => {
    found[name] = await figure();
    await send(false);
  };
  await meter.bound();
  await find("gaps", () => meter.gaps());
  found.drawn = meter.drawnRate();
  await find("behind", () => meter.dragWalking());
  await meter.said({ do: "pause" });
  await find("drag", () => meter.dragPaused());
  await find("change", () => meter.changes());
  await find("seek", () => meter.seeks());
  await find("stroke", () => meter.strokes());
  await find("knot", () => meter.knots());
  await find("steps", () => meter.steps());
  await find("pose", () => meter.poses());
  await meter.said({ do: "undo" });
  await meter.said({ do: "play" });
  await find("besideBinding", () => meter.besideBinding());
  await meter.said({ do: "start-job", kind: "bake", suffix: ".supple" });
  await find("besideBake", () =>
    meter.gaps(() =>
      session.state.value!.jobs.some(({ state }) => state === "waiting" || state === "running"),
    ),
  );
  for (const skin of ["linear", "delta-mush"]) await meter.said({ do: "add-view", skin });
  await meter.bound();
  await find("compared", () => meter.gaps());
  await send(true);
}

class Meter {
  private readonly sent: { seq: number; at: number; hold: boolean }[] = [];
  private arrivals: number[] = [];
  private pictures = 0;
  private awaited: { seq: number; done: (when: number) => void }[] = []; // commands, until a picture has them
  private begun = performance.now();

  constructor(private readonly stage: Stage) {
    const { sent } = this;
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
      const { do: what, seq } = JSON.parse(String(data));
      if (what !== "drawn") sent.push({ seq, at: performance.now(), hold: what === "hold" });
      send.call(this, data);
    };
    const newest = stage.newest.bind(stage);
    stage.newest = (frame) => {
      if (frame.view === 0) this.arrivals.push(performance.now());
      newest(frame);
    };
    effect(() => {
      session.shownFrame.value;
      this.pictures++;
      const last = stage.skin?.frame?.lastCommand ?? 0;
      for (const { seq, done } of this.awaited) if (seq <= last) done(performance.now());
      this.awaited = this.awaited.filter(({ seq }) => seq > last);
    });
    // Pointers that no hand moves cannot be captured.
    stage.canvas.setPointerCapture = () => {};
    stage.canvas.releasePointerCapture = () => {};
    stage.canvas.hasPointerCapture = () => false;
  }

  /** When, by the clock of the machine [ms], a second frame was drawn in which time had gone on. */
  async firstMoves(): Promise<number> {
    await this.until(() => this.stage.skin?.frame != null);
    const { motionTime } = this.stage.skin!.frame!;
    await this.until(() => this.stage.skin!.frame!.motionTime > motionTime);
    return performance.timeOrigin + performance.now();
  }

  /** When all skins are bound. */
  bound(): Promise<void> {
    return this.until(() => session.state.value!.views.every(({ preparing }) => preparing === null));
  }

  /** Between frames that arrive [ms], while something is so or else for a while. */
  async gaps(still = () => performance.now() - this.begun < WATCHED): Promise<number[]> {
    this.arrivals = [];
    this.pictures = 0;
    this.begun = performance.now();
    await this.until(() => !still());
    return this.arrivals.slice(1).map((time, i) => time - this.arrivals[i]!);
  }

  /** Pictures drawn each second while gaps were measured. */
  drawnRate(): number {
    return (1000 * this.pictures) / WATCHED;
  }

  /** From a pointer that moves to a picture with its command in it [ms]; it moves before every picture. */
  async dragPaused(): Promise<number[]> {
    const [x, y] = this.pixel();
    this.point("pointerdown", x, y);
    await this.until(() => this.sent.some(({ hold }) => hold));
    const taken = await this.timed((i) => {
      this.point("pointermove", x + 2 * (i % 15), y);
      return this.sent.at(-1)!.seq;
    });
    this.point("pointerup", x, y);
    return taken;
  }

  /** From the hand to the place that it holds, in every picture while the body walks [mm]. */
  async dragWalking(): Promise<number[]> {
    const [x, y] = this.pixel();
    this.point("pointerdown", x, y);
    const drag = tools.value.find((tool) => tool instanceof DragFlesh)!;
    const off: number[] = [];
    const start = this.stage.skin!.frame!.fleshTime;
    await this.until(() => {
      const { fleshTime } = this.stage.skin!.frame!;
      if (fleshTime > start + 0.5) off.push(1000 * drag.farthest());
      return fleshTime > start + 2.5;
    });
    this.point("pointerup", x, y);
    return off;
  }

  /** From a live setting that changes to a picture with it [ms]. */
  async changes(): Promise<number[]> {
    const rows = session.state.value!.views[0]!.stages.at(-1)!.settings;
    const row = rows.find(({ name, live }) => live && name.endsWith("gravity"));
    if (!row) return [];
    const values = [0.5 * Number(row.value), Number(row.value)];
    return this.timed((i) =>
      session.ask({ do: "change", name: row.name, value: values[i % 2]!, done: false }),
    );
  }

  /** From a time that is sought to a picture with it [ms]. */
  async seeks(): Promise<number[]> {
    const duration = session.state.value!.transport.duration ?? 1;
    return this.timed((i) => session.ask({ do: "seek", time: 0.5 * duration * (1 + Math.sin(0.1 * i)) }));
  }

  /** From a pen that is lifted to a picture with the bulge [ms]; every bulge is taken back. */
  async strokes(): Promise<number[]> {
    chooseTool("raise");
    const taken: number[] = [];
    for (let i = 0; i < STROKES; i++) {
      const [x, y] = this.pixel();
      this.point("pointerdown", x, y);
      for (let step = 0; step < LENGTH; step++) {
        await this.nextPicture();
        this.point("pointermove", x + 0.3 * step, y - 0.5 * step);
      }
      const at = performance.now();
      this.point("pointerup", x + 0.3 * LENGTH, y - 0.5 * LENGTH);
      taken.push((await this.shown(this.sent.at(-1)!.seq)) - at);
      await this.nextPicture();
      if (i < STROKES - 1) await this.said({ do: "undo" });
      await this.nextPicture();
    }
    chooseTool("drag");
    return taken;
  }

  /** Between frames while a knot of the last stroke is dragged to and fro [ms]. */
  async knots(): Promise<number[]> {
    const stroke = session.state.value!.edits.skin_strokes.at(-1);
    if (!stroke) return [];
    const start = performance.now();
    let moves = 0;
    const pull = (done: boolean) =>
      session.ask({
        do: "move-knot",
        stroke: stroke.name,
        knot: Math.floor(stroke.triangles.length / 2),
        by: [0, 0.01 * Math.sin(0.2 * moves++), 0],
        done,
      });
    const found = await this.gaps(() => {
      pull(false);
      return performance.now() - start < DRAGGED;
    });
    await this.shown(pull(true) ?? 0);
    return found;
  }

  /** Between frames while the skin is bound anew with another setting, or another skin is [ms]. */
  async besideBinding(): Promise<number[]> {
    const stages = session.state.value!.views[0]!.stages;
    const row = stages.at(-1)!.settings.find(({ name }) => name.endsWith("resolution"));
    // One that was not bound before: what was is kept on disk, and takes over at once.
    const other = Math.round(40 + 30 * Math.random());
    if (row) session.ask({ do: "change", name: row.name, value: other });
    else session.ask({ do: "choose-skin", skin: "delta-mush" });
    await this.until(() => session.state.value!.views[0]!.preparing !== null);
    const found = await this.gaps(() => session.state.value!.views[0]!.preparing !== null);
    await this.said({ do: "undo" });
    await this.bound();
    return found;
  }

  /** From a step back, or again, to a picture without it, or with it [ms]. */
  async steps(): Promise<number[]> {
    const taken: number[] = [];
    for (let i = 0; i < TWICE; i++)
      for (const what of ["undo", "redo"] as const) {
        await this.nextPicture();
        const at = performance.now();
        taken.push((await this.said({ do: what })) - at);
      }
    return taken;
  }

  /** From a line over an arm, and another one where it is to go, to a picture of that pose [ms]; all are taken back. */
  async poses(): Promise<number[]> {
    chooseTool("stroke-pose"); // with it come the joints
    await this.until(() => this.stage.joints?.frame != null);
    const { names } = this.stage.joints!.skeleton;
    const places = ARM.map((name) => this.stage.joint(names.indexOf(name)));
    const taken: number[] = [];
    if (places.every((place) => place !== null)) {
      const baseline = places.map((place) => place.toArray());
      const time = session.motionTime.peek();
      for (let i = 0; i < TWICE; i++) {
        const offset = baseline.map(([x, y, z], joint): [number, number, number] => [x, y + 0.1 * joint, z]);
        await this.nextPicture();
        const at = performance.now();
        taken.push((await this.said({ do: "pose-by-strokes", baseline, offset, time, radius: 0.1 })) - at);
        await this.said({ do: "undo" });
      }
    }
    chooseTool("drag");
    return taken;
  }

  /** When a picture has a command in it [ms]. */
  said(command: Command): Promise<number> {
    return this.shown(session.ask(command) ?? 0);
  }

  /** Look before every picture, until something is true. */
  until(true_: () => boolean): Promise<void> {
    return new Promise((done) => {
      const look = () => {
        if (true_()) done();
        else requestAnimationFrame(look);
      };
      look();
    });
  }

  /** How long after each command [ms] a picture has it; browsers hand on what is pointed at once before a picture. */
  private async timed(command: (turn: number) => number | null): Promise<number[]> {
    const taken: Promise<number>[] = [];
    const start = performance.now();
    for (let i = 0; i < TIMES && performance.now() - start < LONGEST; i++) {
      await this.nextPicture();
      const at = performance.now();
      taken.push(this.shown(command(i) ?? 0).then((when) => when - at));
    }
    return Promise.all(taken);
  }

  private shown(seq: number): Promise<number> {
    if ((this.stage.skin?.frame?.lastCommand ?? 0) >= seq) return Promise.resolve(performance.now());
    return new Promise((done) => this.awaited.push({ seq, done }));
  }

  private nextPicture(): Promise<number> {
    return new Promise((done) => requestAnimationFrame(done));
  }

  /** A pixel of the page on the skin, near the middle of the character: on its trunk, beside which limbs swing. */
  private pixel(): [number, number] {
    const { canvas, pane, viewer } = this.stage;
    const page = canvas.getBoundingClientRect();
    const { left, top, width, height } = this.stage.boxOf(pane);
    const seen = viewer.controls.target.clone().project(viewer.camera);
    const x = page.left + left + ((1 + seen.x) / 2) * width;
    for (let share = 0; share < 0.3; share += 0.02)
      for (const sign of [-1, 1]) {
        const y = page.top + top + ((1 - seen.y) / 2 + ABOVE + sign * share) * height;
        const event = new PointerEvent("pointermove", { clientX: x, clientY: y });
        if (placeAt(this.stage, pixelOf(this.stage, event))) return [x, y];
      }
    throw new Error("the character is not in the middle of the picture");
  }

  private point(kind: string, clientX: number, clientY: number): void {
    const buttons = kind === "pointerup" ? 0 : 1;
    this.stage.canvas.dispatchEvent(new PointerEvent(kind, { ...HAND, clientX, clientY, buttons }));
  }
}
