// The whole window around the stage.

import { useEffect, useRef } from "preact/hooks";
import type { Refused } from "../messages";
import { silent } from "../meters";
import type { Stage } from "../scene/stage";
import { failure, link, panelOpen, state } from "../session";
import { Palette, ShortcutSheet } from "./dialogs";
import { DocumentsDialog, LeftOpenNotice, SaveDialog } from "./documents";
import { Legend } from "./legend";
import { DropOverlay, OpenDialog, SendingNotice } from "./open";
import { Panel } from "./panel";
import { Panes } from "./panes";
import { Recording } from "./recording";
import { Timeline } from "./timeline";
import { Toasts } from "./toasts";
import { Toolbar } from "./toolbar";
import { TopBar } from "./topbar";
import { Welcome } from "./welcome";
import { sentence } from "./words";

export function Studio({ stage, software }: { stage: Stage; software: boolean }) {
  return (
    <div class={`studio ${panelOpen.value ? "" : "without-panel"}`}>
      <TopBar stage={stage} software={software} />
      <main class="stage">
        <Canvas canvas={stage.canvas} />
        <Panes />
        <Toolbar stage={stage} />
        <Legend />
        <Welcome />
        <Notices stage={stage} />
      </main>
      {panelOpen.value && <Panel />}
      <Toasts />
      <Timeline stage={stage} />
      <ShortcutSheet />
      <Palette stage={stage} />
      <OpenDialog />
      <DropOverlay />
      <SaveDialog />
      <DocumentsDialog />
    </div>
  );
}

/** The canvas is made before the panels and stays for as long as the window. */
function Canvas({ canvas }: { canvas: HTMLCanvasElement }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.append(canvas);
  }, [canvas]);
  return <div class="canvas" ref={place} />;
}

function Notices({ stage }: { stage: Stage }) {
  const { open } = link.value;
  const views = state.value?.views ?? [];
  const binding = views.length === 1 ? views[0]?.preparing : null; // of several, their labels say it
  const preparing = state.value?.opening ?? binding;
  return (
    <div class="notices" role="status">
      {failure.value && <Failed why={failure.value} />}
      {!link.value.open && !failure.value && (
        <p class="notice lost">
          {state.value ? "The engine is out of reach; trying again …" : "Looking for the engine …"}
          {link.value.reason && <span class="quiet"> {link.value.reason}</span>}
        </p>
      )}
      {open && state.value && silent.value && (
        <p class="notice lost">No frame has come for a while: the engine is busy, or has stopped.</p>
      )}
      <SendingNotice />
      <Recording stage={stage} />
      {open && <LeftOpenNotice />}
      {open && state.value?.transport.as_baked === "working" && !state.value.transport.playing && (
        <p class="notice">
          <span class="spinner" aria-hidden="true" />
          Working out the flesh up to here …
        </p>
      )}
      {open && preparing && (
        <p class="notice">
          <span class="spinner" aria-hidden="true" />
          Preparing {preparing} …
        </p>
      )}
    </div>
  );
}

function Failed({ why: { where, given, needed, advice } }: { why: Refused }) {
  return (
    <p class="notice lost failed">
      <strong>Nothing was opened.</strong> {where}:{" "}
      {[given, needed, advice].filter(Boolean).map(sentence).join(" ")} Then start the studio again.
    </p>
  );
}
