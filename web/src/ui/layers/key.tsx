// A key on its row: a diamond to drag along the time, to choose, and to open.
import { useEffect, useRef } from "preact/hooks";
import type { KeyInfo, LayerInfo } from "../../messages";
import { soon } from "../../pace";
import { ask, state } from "../../session";
import { chosenKey, deleteKey, isChosen, movedKey, moveKey, onFrame, openSheet } from "./choice";
import { KeySheet } from "./key_sheet";

const STARTS = 3; // a pointer that has moved less than this is a click [px]

export function KeyMark({ layer, info, duration }: { layer: LayerInfo; info: KeyInfo; duration: number }) {
  const mark = useRef<HTMLButtonElement>(null);
  const pressed = useRef<{ x: number; moved: boolean } | null>(null);
  const key = { layer: layer.name, time: info.time };
  const moved = movedKey.value;
  const own = moved?.layer === key.layer && moved.time === key.time ? moved : null;
  const at = own && !own.copy ? own.to : info.time;
  const sheet = openSheet.value;
  const isOpen = sheet && "key" in sheet && sheet.key.layer === key.layer && sheet.key.time === key.time;

  useEffect(() => {
    // The chosen key keeps the keyboard when it has come to another time.
    const nobody = document.activeElement === document.body || !document.activeElement;
    if (nobody && isChosen(layer.name, info.time)) mark.current?.focus();
  }, [layer.name, info.time]);

  const move = (event: PointerEvent) => {
    const start = pressed.current;
    if (!start) return;
    start.moved ||= Math.abs(event.clientX - start.x) >= STARTS;
    if (!start.moved) return;
    const row = mark.current!.parentElement!.getBoundingClientRect();
    const shifted = info.time + ((event.clientX - start.x) / row.width) * duration;
    const to = onFrame(Math.min(duration, Math.max(0, shifted)));
    const copy = event.ctrlKey || event.altKey || event.metaKey;
    movedKey.value = { ...key, to, copy };
    soon("move-key", () => ask({ do: "change-key", ...key, to, copy, done: false }));
  };
  const release = (cancelled: boolean) => {
    const start = pressed.current;
    pressed.current = null;
    if (!start) return;
    const last = movedKey.value;
    movedKey.value = null;
    if (!start.moved) openSheet.value = isOpen ? null : { key };
    else if (cancelled || !last || last.to === key.time) ask({ do: "change-key", ...key });
    else soon("move-key", () => moveKey(key, last.to, last.copy));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const fps = state.value?.transport.fps || 60;
    if (step) moveKey(key, onFrame(Math.max(0, info.time + step / fps)), event.ctrlKey || event.altKey);
    else if (event.key === "Delete" || event.key === "Backspace") deleteKey(key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <button
        ref={mark}
        type="button"
        class={`key ${info.use ? "" : "empty"}`}
        aria-label={`Key of ${layer.name} at ${info.time.toFixed(2)} seconds: ${wordsOf(info)}`}
        aria-pressed={isChosen(layer.name, info.time)}
        title={`${wordsOf(info)}, ${info.ease}\nDrag to move it, with Ctrl to copy it; ← → by a frame, Delete`}
        style={{ left: `${(100 * at) / duration}%` }}
        onFocus={() => {
          chosenKey.value = key;
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          event.currentTarget.focus();
          event.currentTarget.setPointerCapture(event.pointerId);
          pressed.current = { x: event.clientX, moved: false };
        }}
        onPointerMove={move}
        onPointerUp={() => release(false)}
        onLostPointerCapture={() => release(true)}
        onClick={(event) => {
          if (event.detail === 0) openSheet.value = { key }; // by the keyboard
        }}
        onKeyDown={onKeyDown}
      />
      {own?.copy && <span class="key ghost" style={{ left: `${(100 * own.to) / duration}%` }} />}
      {isOpen && <KeySheet layer={layer} info={info} anchor={() => mark.current} />}
    </>
  );
}

function wordsOf({ use, amount }: KeyInfo): string {
  return use ? `${use} ${amount.toFixed(2)}` : "nothing";
}
