// The tools, on the left of the stage, and what the chosen one is for.
import type { Stage } from "../scene/stage";
import { isOffered, tool, tools } from "../tools/toolbox";
import { ActionButton } from "./button";

export function Toolbar({ stage }: { stage: Stage }) {
  return (
    <div class="toolbar" role="toolbar" aria-label="Tools" aria-orientation="vertical">
      {tools.value.filter(isOffered).map(({ id }) => (
        <ActionButton key={id} id={`tool-${id}`} stage={stage} />
      ))}
    </div>
  );
}

/** What the chosen tool is for, and its own rows; the first thing in the panel. */
export function ToolOptions() {
  const now = tool.value;
  if (!now) return null;
  return (
    <section class="tool-options" aria-label={now.name}>
      <h2>{now.name}</h2>
      <p class="quiet">{now.hint}</p>
      {now.options?.()}
    </section>
  );
}
