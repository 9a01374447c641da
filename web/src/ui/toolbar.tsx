// The tools, on the left of the stage, and what the chosen one is for.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Stage } from "../scene/stage";
import type { Tool, ToolId } from "../tools/tool";
import { isOffered, tool, tools } from "../tools/toolbox";
import { ActionButton } from "./button";

type Kind = "touch" | "shape" | "pose" | "world";

const KIND: Record<ToolId, Kind> = {
  drag: "touch",
  paint: "touch",
  raise: "shape",
  outline: "shape",
  radial: "shape",
  wave: "shape",
  pose: "pose",
  "stroke-pose": "pose",
  planes: "pose",
  travel: "pose",
  limp: "world",
  throw: "world",
};

export function Toolbar({ stage }: { stage: Stage }) {
  const groups = new Map<Kind, Tool[]>([
    ["touch", []],
    ["shape", []],
    ["pose", []],
    ["world", []],
  ]);
  for (const one of tools.value.filter(isOffered)) groups.get(KIND[one.id])!.push(one);
  return (
    <div class="toolbar" role="toolbar" aria-label="Tools" aria-orientation="vertical">
      {[...groups.values()].flatMap((members) =>
        members.map(({ id }, i) => (
          <span key={id} class={i === 0 ? "first" : ""}>
            <ActionButton id={`tool-${id}`} stage={stage} named />
          </span>
        )),
      )}
    </div>
  );
}

/** What the chosen tool is for, and its own rows; the first thing in the panel. */
export function ToolOptions() {
  const now = tool.value;
  const section = useRef<HTMLElement>(null);
  const shown = useRef(now);
  useLayoutEffect(() => {
    if (shown.current !== now) section.current?.closest(".panel")?.scrollTo({ top: 0 }); // its rows are seen at once
    shown.current = now;
  }, [now]);
  if (!now) return null;
  return (
    <section class="tool-options" ref={section} aria-label={now.name}>
      <h2>{now.name}</h2>
      <p class="quiet">{now.hint}</p>
      {now.options?.()}
    </section>
  );
}
