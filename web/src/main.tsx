// The studio's page: what the engine says goes to the stage and the panels, what a person does goes to the engine.
import { effect } from "@preact/signals";
import { render } from "preact";
import { amounts, newestAmounts, showAmounts } from "./amounts";
import { recordPicture } from "./capture";
import { takeCurves } from "./curves";
import { endurance, endure } from "./endure";
import { readFrame, readMesh } from "./frames";
import { Looking } from "./looking";
import { MEASURED, measure, UNDRAWN } from "./measure";
import type { Event, MeshInfo, State } from "./messages";
import { beginAgain, countArrived, countDrawn } from "./meters";
import { FIRST_GHOST } from "./scene/ghosts";
import { isSoftware, rendererName } from "./scene/renderer";
import { Stage } from "./scene/stage";
import * as session from "./session";
import { needJoints, takeLongest, takeRange } from "./shown";
import { Connection } from "./socket";
import { drawingPlane } from "./tools/drawing_plane";
import { makeTools, toolsLost, toolsRefused, updateTools, wearTools } from "./tools/toolbox";
import { setRadius } from "./ui/actions";
import { listenToKeys } from "./ui/keys";
import { listenToDrops } from "./ui/open";
import { Studio } from "./ui/studio";
import { calm, look } from "./ui/theme";

const LONG_WAIT = 1500; // without the engine, after which it may have been started anew [ms]
const HAND = 0.09; // radius of a hand at first, in sizes of the character

function begin(root: HTMLElement): void {
  const drawer = rendererName();
  if (!drawer) {
    root.textContent =
      "This browser cannot draw in three dimensions (WebGL 2). Switch it on, or try another browser.";
    return;
  }
  const software = isSoftware(drawer);
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", "The character; drag its skin to pull, drag beside it to turn the view");
  canvas.setAttribute("role", "img");
  const stage = new Stage(canvas, {
    look: look.value,
    software,
    draws: location.hash !== UNDRAWN && !endurance,
    calm,
    follows: () => session.following.value,
    beforePicture: updateTools,
    afterPicture: (shown, frames) => {
      for (const one of frames) session.ask({ do: "drawn", ...one });
      countDrawn();
      recordPicture(stage);
      if (!shown) return;
      session.motionTime.value = shown.motionTime;
      session.shownFrame.value = shown.frame;
      looking.update();
      showAmounts(shown.frame);
    },
  });
  const looking = new Looking(stage);
  makeTools(stage, look.value);
  effect(() => {
    stage.wear(look.value);
    wearTools(look.value);
  });
  effect(() => {
    needJoints("bones", session.bonesShown.value);
    stage.showBones(session.bonesShown.value);
  });
  effect(() => stage.viewer.setParallel(session.parallel.value));
  listenToKeys(stage);
  listenToDrops();
  connect(stage);
  // For tests, and for the curious at the console.
  Object.assign(globalThis, { supple: { stage, session, amounts, drawingPlane } });
  render(<Studio stage={stage} software={software} />, root);
  if (location.hash === MEASURED || location.hash === UNDRAWN) void measure(stage);
  if (endurance) void endure(endurance);
}

function connect(stage: Stage): void {
  const mesh = new MeshLoader(stage);
  const hear = (event: Event) => {
    if (event.event === "state") {
      takeState(event);
      mesh.want(event.mesh);
      stage.setSkeleton(event.skeleton);
      stage.setPanes(event.views.length);
      stage.things.set(event.things.rows);
      stage.keepRoom(event.shown.measure !== null || event.shown.lines === "forces");
      stage.setRamp(event.shown.measure?.signed ? "signed" : "plain");
      if (!event.shown.lines) stage.hideLines();
      stage.ghosts.want(event.ghosts, event.transport.fps);
    } else if (event.event === "refused") {
      session.drafts.value = {};
      toolsRefused(event);
      if (session.state.value) session.showRefused(event);
      else session.failure.value = event;
    } else if (event.event === "curves") {
      const transport = session.state.value?.transport;
      if (transport) takeCurves(event, transport.motion, transport.duration);
    } else session.showTold(event.text);
  };
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`;
  const connection = new Connection(address, {
    opened: () => {
      beginAgain();
      session.link.value = { open: true };
    },
    lost: (reason, wait) => {
      const anew = "If it was started anew, open the address that it printed.";
      session.link.value = { open: false, reason: reason || (wait > LONG_WAIT ? anew : "") };
      toolsLost();
      mesh.forget();
    },
    event: hear,
    frame: (message) => {
      const frame = readFrame(message);
      if (frame?.kind === "joints") stage.newestJoints(frame);
      if (frame?.kind === "things") stage.things.show(frame);
      if (frame?.kind === "colours") {
        stage.newestColours(frame);
        takeRange(frame);
      }
      const lines = session.state.value?.shown.lines;
      if (frame?.kind === "lines" && lines) {
        stage.newestLines(frame, lines === "forces"); // one that comes when they were put out stays out
        takeLongest(frame);
      }
      if (frame?.kind === "trail") stage.ghosts.newestTrail(frame);
      if (frame?.kind === "amounts") newestAmounts(frame);
      if (frame?.kind !== "skin") return;
      if (frame.view < FIRST_GHOST) countArrived(frame.view, frame.engineMicroseconds);
      stage.newest(frame);
    },
  });
  session.sendThrough((command) => connection.send(command));
}

/** The page is a function of the state; what is still being changed here stays as it is here until it is done. */
function takeState(state: State): void {
  const first = session.state.value?.mesh.mesh !== state.mesh.mesh;
  session.state.value = state;
  session.failure.value = null;
  if (first) setRadius(HAND * (state.mesh.size || 1.8));
  const moving = document.querySelector("input[type=range]:active")?.closest<HTMLElement>("[data-setting]")
    ?.dataset.setting;
  const kept = moving === undefined ? undefined : session.drafts.value[moving];
  session.drafts.value = moving !== undefined && kept !== undefined ? { [moving]: kept } : {};
}

/** Fetches the triangles that frames are of whenever they are others. */
class MeshLoader {
  private wanted: number | null = null;

  constructor(private readonly stage: Stage) {}

  forget(): void {
    this.wanted = null;
  }

  async want({ mesh, size }: MeshInfo): Promise<void> {
    if (mesh === this.wanted) return;
    this.wanted = mesh;
    try {
      const answer = await fetch(`/mesh/${mesh}`);
      if (!answer.ok) throw new Error(await answer.text());
      const data = readMesh(await answer.arrayBuffer());
      if (this.wanted === mesh) this.stage.setMesh(mesh, data, size);
    } catch (error) {
      if (this.wanted === mesh) this.wanted = null;
      session.showTold(`The mesh did not come: ${error instanceof Error ? error.message : error}`);
    }
  }
}

const root = document.getElementById("studio");
if (root) begin(root);
