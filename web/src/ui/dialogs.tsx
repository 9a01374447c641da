// The sheet of shortcuts and the palette, both made from the table of actions.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Stage } from "../scene/stage";
import { type Action, actions, helpOpen, isEnabled, nameOf, paletteOpen } from "./actions";
import { shownKey } from "./keys";

export function Dialog({
  open,
  label,
  children,
}: {
  open: Signal<boolean>;
  label: string;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={() => {
        open.value = false;
      }}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}

function Keys({ action }: { action: Action }) {
  return (
    <span class="keys">
      {action.keys.map((key) => (
        <kbd key={key}>{shownKey(key)}</kbd>
      ))}
    </span>
  );
}

const POINTER_HELP = [
  ["Drag flesh", "drag on the skin"],
  ["Orbit", "drag beside it, or right button"],
  ["Pan", "middle button, or Shift and drag"],
  ["Zoom", "wheel, or pinch"],
] as const;

export function ShortcutSheet() {
  if (!helpOpen.value) return null;
  const groups = [...new Set(actions.value.map(({ group }) => group))];
  return (
    <Dialog open={helpOpen} label="Shortcuts">
      <form method="dialog" class="sheet">
        <header>
          <h2>Shortcuts</h2>
          <button type="submit" class="button">
            Close
          </button>
        </header>
        <div class="columns">
          <section>
            <h3>Pointer</h3>
            {POINTER_HELP.map(([what, how]) => (
              <p class="shortcut" key={what}>
                <span>{what}</span>
                <span class="quiet">{how}</span>
              </p>
            ))}
          </section>
          {groups.map((group) => (
            <section key={group}>
              <h3>{group}</h3>
              {actions.value
                .filter((action) => action.group === group)
                .map((action) => (
                  <p class="shortcut" key={action.id}>
                    <span>{nameOf(action)}</span>
                    <Keys action={action} />
                  </p>
                ))}
            </section>
          ))}
        </div>
      </form>
    </Dialog>
  );
}

export function Palette({ stage }: { stage: Stage }) {
  return paletteOpen.value ? <OpenPalette stage={stage} /> : null;
}

function OpenPalette({ stage }: { stage: Stage }) {
  const words = useSignal("");
  const at = useSignal(0);
  const wanted = words.value.toLowerCase().trim();
  const found = actions.value.filter(
    (action) => isEnabled(action) && `${action.group} ${nameOf(action)}`.toLowerCase().includes(wanted),
  );
  const chosen = found[at.value]?.id;
  useEffect(() => {
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const run = (action: Action | undefined) => {
    paletteOpen.value = false;
    action?.run(stage);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) at.value = (at.value + step + found.length) % Math.max(1, found.length);
    else if (event.key === "Enter") run(found[at.value]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open={paletteOpen} label="Find an action">
      <div class="palette">
        <input
          type="search"
          aria-label="Find an action"
          aria-controls="palette-list"
          aria-activedescendant={found[at.value] ? `palette-${found[at.value]!.id}` : undefined}
          placeholder="Find an action"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
        <div class="list" id="palette-list" role="listbox" tabIndex={0} aria-label="Actions">
          {found.map((action, i) => (
            <div
              key={action.id}
              id={`palette-${action.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at.value}
              onClick={() => run(action)}
              onPointerEnter={() => {
                at.value = i;
              }}
            >
              <span>{nameOf(action)}</span>
              <Keys action={action} />
            </div>
          ))}
          {found.length === 0 && <div class="quiet">No action has these words.</div>}
        </div>
      </div>
    </Dialog>
  );
}
