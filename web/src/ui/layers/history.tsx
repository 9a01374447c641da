// All steps by name; choosing one goes there at once, back or forth.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ask, state } from "../../session";
import { Icon } from "../icons";
import { Popover } from "./popover";

export function HistoryButton() {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const { past = [], future = [] } = state.value ?? {};
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button"
        aria-label="All steps"
        aria-expanded={open.value}
        title="All steps, to go several back or forth"
        disabled={past.length + future.length === 0}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="history" />
      </button>
      {open.value && (
        <Popover
          label="Steps"
          anchor={() => button.current}
          close={() => {
            open.value = false;
          }}
        >
          <Steps past={past} future={future} />
        </Popover>
      )}
    </>
  );
}

function Steps({ past, future }: { past: readonly string[]; future: readonly string[] }) {
  const list = useRef<HTMLOListElement>(null);
  const names = ["Open", ...past, ...future];
  const now = past.length;
  useEffect(() => {
    list.current?.children[now]?.scrollIntoView({ block: "nearest" });
  }, [now]);
  return (
    <ol ref={list} class="steps">
      {names.map((name, place) => (
        <li key={place}>
          <button
            type="button"
            class={place > now ? "undone" : ""}
            aria-current={place === now ? "step" : undefined}
            onClick={() => {
              if (place !== now) ask({ do: "travel", steps: place - now });
            }}
          >
            {name}
          </button>
        </li>
      ))}
    </ol>
  );
}
