// The document on disk: its name and whether it is saved, the dialogs to save and to open, and what was left open.
import { useSignal } from "@preact/signals";
import { ask, state } from "../session";
import { documentsDialog, saveDialog } from "./actions";
import { Dialog } from "./dialogs";

/** Beside the title: the document's name, and a quiet word once all of it is on disk. */
export function SavedMark() {
  const saving = state.value?.saving;
  if (!saving) return null;
  if (saving.name === null) {
    if (!state.value?.undo) return null;
    return (
      <span class="saved-mark quiet wide-only" title="Kept for the next start; Ctrl+S gives it a name">
        not named yet
      </span>
    );
  }
  return (
    <span class="saved-mark" title={`${saving.name}.supple.json in ${saving.folder}`}>
      <b class="wide-only">{saving.name}</b>
      <span class="quiet" id="saved" role="status">
        {saving.saved ? "saved" : "saving …"}
      </span>
    </span>
  );
}

/** What a studio left open that ended without a name for it; once a person is at work, among documents alone. */
export function LeftOpenNotice() {
  return state.value?.undo ? null : <LeftOpen look="notice offer" />;
}

function LeftOpen({ look }: { look: string }) {
  const at = state.value?.saving.left_open;
  if (!at) return null;
  return (
    <p class={look}>
      <span>Something was left open at {at}.</span>
      <button type="button" class="button" onClick={() => ask({ do: "go-on", take: true })}>
        Go on with it
      </button>
      <button type="button" class="button" onClick={() => ask({ do: "go-on", take: false })}>
        Discard
      </button>
    </p>
  );
}

export function SaveDialog() {
  return saveDialog.value ? <OpenSaveDialog /> : null;
}

function OpenSaveDialog() {
  const saving = state.value?.saving;
  const name = useSignal(saving?.name ?? "");
  const wanted = name.value.trim().replace(/\.supple\.json$/, "");
  const here = saving?.folder.split(/[/\\]/).at(-1);
  const taken =
    wanted !== saving?.name &&
    (saving?.known.some((one) => one.name === wanted && one.folder === here) ?? false);
  const save = (event: Event) => {
    event.preventDefault();
    if (!wanted) return;
    ask({ do: "save", name: wanted, replace: taken });
    saveDialog.value = false;
  };
  return (
    <Dialog open={saveDialog} label="Save as">
      <form class="sheet small" onSubmit={save}>
        <header>
          <h2>Save as</h2>
        </header>
        <label class="field">
          <span>Name</span>
          <input
            type="text"
            maxLength={100}
            value={name.value}
            autocomplete="off"
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="quiet path">
          {wanted || "name"}.supple.json in {saving?.folder}
        </p>
        <footer>
          <button
            type="button"
            class="button"
            onClick={() => {
              saveDialog.value = false;
            }}
          >
            Cancel
          </button>
          <button type="submit" class="button main" disabled={!wanted}>
            {taken ? "Replace it" : "Save"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function DocumentsDialog() {
  return documentsDialog.value ? <OpenDocumentsDialog /> : null;
}

function OpenDocumentsDialog() {
  const known = state.value?.saving.known ?? [];
  return (
    <Dialog open={documentsDialog} label="Open a document">
      <form method="dialog" class="sheet small">
        <header>
          <h2>Open a document</h2>
          <button type="submit" class="button">
            Close
          </button>
        </header>
        <LeftOpen look="offer" />
        {known.length === 0 && <p class="quiet">There is no document yet: Ctrl+S saves one.</p>}
        <ul class="documents">
          {known.map(({ key, name, folder }) => (
            <li key={key}>
              <button
                type="button"
                class="button"
                onClick={() => {
                  ask({ do: "open-document", key });
                  documentsDialog.value = false;
                }}
              >
                <b>{name}</b> <span class="quiet">{folder}</span>
              </button>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}
