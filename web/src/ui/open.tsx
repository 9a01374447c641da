// Opening: built-in characters, files of the folder, files that were sent, and one to be chosen or dropped.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { files, loadFiles, openFile, sendFiles, sending, size } from "../files";
import type { FileInfo } from "../messages";
import { ask, state } from "../session";
import { openOpen } from "./actions";
import { Dialog } from "./dialogs";
import { plainName } from "./words";

const USUAL_VERTICES = 10_000;
const dropping = signal(false);

/** How fine a built-in character is made: as fine as the one before, where that was built in too. */
export function chooseCharacter(character: string): void {
  const now = state.value;
  const vertices = now?.characters.includes(now.character) ? now.mesh.vertices : USUAL_VERTICES;
  ask({ do: "choose-character", character, vertices });
}

export function OpenDialog() {
  return openOpen.value ? <Opened /> : null;
}

function Opened() {
  const words = useSignal("");
  const picker = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void loadFiles();
  }, []);
  const wanted = words.value.toLowerCase().trim();
  const among = (name: string) => name.toLowerCase().includes(wanted);
  const known = files.value;
  const listed = (known?.files ?? []).filter(({ name }) => among(name));
  const builtIn = (state.value?.characters ?? []).filter(among);
  const sent = listed.filter((file) => file.sent).reverse();
  const inFolder = listed.filter((file) => !file.sent);
  const then = (act: () => void) => () => {
    openOpen.value = false;
    act();
  };
  return (
    <Dialog open={openOpen} label="Open">
      <div class="open" role="group" aria-label="Characters and files" onKeyDown={moveFocus}>
        <header>
          <input
            type="search"
            aria-label="Find a character or a file"
            placeholder="Find a character or a file"
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value;
            }}
          />
          <button type="button" class="button chosen" onClick={() => picker.current?.click()}>
            Choose a file …
          </button>
          <input
            ref={picker}
            type="file"
            hidden
            multiple
            accept={known?.suffixes.join(",")}
            onChange={(event) => {
              const chosen = [...(event.currentTarget.files ?? [])];
              then(() => void sendFiles(chosen))();
            }}
          />
        </header>
        <div class="entries">
          {builtIn.length > 0 && (
            <section aria-label="Built in">
              <h3>Built in</h3>
              <div class="chips">
                {builtIn.map((name) => (
                  <button
                    type="button"
                    class="button"
                    key={name}
                    data-entry
                    onClick={then(() => chooseCharacter(name))}
                  >
                    {plainName(name)}
                  </button>
                ))}
              </div>
            </section>
          )}
          <Section title="Sent from here" files={sent} then={then} />
          <Section title={known?.folder ?? ""} files={inFolder} then={then} />
          {known?.folder && inFolder.length === 0 && !wanted && (
            <p class="quiet pad">No file in {known.folder} can be opened.</p>
          )}
          {builtIn.length + listed.length === 0 && <p class="quiet pad">Nothing has these words.</p>}
        </div>
        <p class="quiet hint">
          Characters: .glb, .vrm, .fbx, .usd, .obj and others. Motions: .bvh, or any of those with bones. A
          file can also be dropped anywhere in the window.
        </p>
      </div>
    </Dialog>
  );
}

function Section({
  title,
  files: listed,
  then,
}: {
  title: string;
  files: readonly FileInfo[];
  then: (act: () => void) => () => void;
}) {
  if (listed.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {listed.map((file) => (
        <div class="entry" key={file.number}>
          <button type="button" class="button" data-entry onClick={then(() => openFile(file))}>
            <span class="name">{file.name}</span>
            <span class="quiet">{file.kind === "motion" ? "motion" : size(file.size)}</span>
          </button>
          {file.kind === "either" && (
            <button
              type="button"
              class="button small only-motion"
              title="Take only its motion, for the character that plays"
              aria-label={`Only the motion of ${file.name}`}
              onClick={then(() => openFile(file, true))}
            >
              Motion only
            </button>
          )}
        </div>
      ))}
    </section>
  );
}

/** Arrows go from entry to entry, and from the first one back to the words. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (!step) return;
  const root = event.currentTarget as HTMLElement;
  const stops = [...root.querySelectorAll<HTMLElement>("input[type=search], [data-entry]")];
  const here = document.activeElement;
  const at = stops.findIndex((stop) => stop === here || (stop.nextElementSibling === here && here !== null));
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
  event.preventDefault();
}

/** What is on its way to the engine. */
export function SendingNotice() {
  const now = sending.value;
  if (!now) return null;
  const read = now.share >= 1;
  return (
    <p class="notice sending">
      {read ? <span class="spinner" aria-hidden="true" /> : <progress value={now.share} aria-label="Sent" />}
      {read ? `Reading ${now.name} …` : `Sending ${now.name}`}
      {!read && (
        <button type="button" class="button small" onClick={now.stop}>
          Stop
        </button>
      )}
    </p>
  );
}

/** Says that a file may be let go here. */
export function DropOverlay() {
  if (!dropping.value) return null;
  return (
    <div class="drop" aria-hidden="true">
      <p>Drop to open</p>
    </div>
  );
}

/** Take files that are dropped anywhere in the window; the browser would else leave the page for them. */
export function listenToDrops(): void {
  let within = 0; // elements that the pointer has entered and not left
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const onDrag = (change: 1 | -1) => (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    within = Math.max(0, within + change);
    dropping.value = within > 0;
  };
  addEventListener("dragenter", onDrag(1));
  addEventListener("dragleave", onDrag(-1));
  addEventListener("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    within = 0;
    dropping.value = false;
    openOpen.value = false;
    void sendFiles(event.dataTransfer?.files ?? []);
  });
}
