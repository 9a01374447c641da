// All tools, and which of them has the pointers.
import { computed, effect, signal } from "@preact/signals";
import type { Refused } from "../messages";
import type { Look } from "../scene/looks";
import type { Stage } from "../scene/stage";
import { activeView } from "../session";
import { DividerPlanes } from "./dividers";
import { DragFlesh } from "./drag";
import { LetLimp } from "./limp";
import { PaintMap } from "./paint";
import { PoseJoints } from "./pose";
import { RadialTool } from "./radial";
import { PoseByStrokes } from "./stroke_pose";
import { RedrawOutline } from "./strokes/outline";
import { RaiseSkin } from "./strokes/raise";
import { ThrowThings } from "./throw";
import type { Tool, ToolId } from "./tool";
import { TravelTool } from "./travel";
import { WaveTool } from "./wave";

export const tools = signal<readonly Tool[]>([]);
const chosenId = signal<ToolId>("drag");
export const tool = computed(() => tools.value.find(({ id }) => id === chosenId.value) ?? null);

export function chooseTool(id: ToolId): void {
  if (id === chosenId.value) return;
  tool.value?.leave?.();
  chosenId.value = id;
  tool.value?.enter?.();
}

/** Whether there is anything for a tool to do. */
export function isOffered(one: Tool): boolean {
  return one.offered?.() ?? true;
}

// A tool for which there is nothing to do any more gives way to the first one.
effect(() => {
  const now = tool.value;
  if (now && !isOffered(now)) chooseTool("drag");
});

/** Make all tools and let the one that is chosen hear the pointers before the camera does. */
export function makeTools(stage: Stage, look: Look): void {
  tools.value = [
    new DragFlesh(stage, look),
    new PaintMap(stage, look),
    new PoseJoints(stage, look),
    new RaiseSkin(stage, look),
    new RedrawOutline(stage, look),
    new RadialTool(stage),
    new WaveTool(stage, look),
    new PoseByStrokes(stage, look),
    new TravelTool(stage, look),
    new DividerPlanes(stage, look),
    new LetLimp(stage, look),
    new ThrowThings(stage),
  ];
  const { canvas } = stage;
  const taken = new Map<number, Tool>();
  const capture = { capture: true };
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      // Keys are the stage's again, not those of a field that was typed into.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      activeView.value = stage.pointAt(event).number;
      if (event.button !== 0 || event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
      const now = tool.value;
      if (!now?.down(event)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      canvas.setPointerCapture(event.pointerId);
      taken.set(event.pointerId, now);
      stage.redraw();
    },
    capture,
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      const owner = taken.get(event.pointerId);
      if (owner) {
        event.stopImmediatePropagation();
        owner.move(event);
      } else {
        if (taken.size === 0) stage.pointAt(event);
        tool.value?.hover(event.buttons === 0 && event.pointerType !== "touch" ? event : null);
      }
      stage.redraw();
    },
    capture,
  );
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
    canvas.addEventListener(
      end,
      (event) => {
        const owner = taken.get(event.pointerId);
        if (!owner) return;
        event.stopImmediatePropagation();
        taken.delete(event.pointerId);
        owner.up(event, end !== "pointerup");
        if (canvas.hasPointerCapture(event.pointerId)) canvas.releasePointerCapture(event.pointerId);
        stage.redraw();
      },
      capture,
    );
  }
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!tool.value?.wheel?.(event)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      stage.redraw();
    },
    { capture: true, passive: false },
  );
  canvas.addEventListener("pointerleave", () => {
    tool.value?.hover(null);
    stage.redraw();
  });
}

export function updateTools(): void {
  tool.value?.update?.();
}

export function wearTools(look: Look): void {
  for (const one of tools.value) one.wear?.(look);
}

export function toolsRefused(refused: Refused): void {
  for (const one of tools.value) one.refused?.(refused);
}

export function toolsLost(): void {
  for (const one of tools.value) one.lost?.();
}
