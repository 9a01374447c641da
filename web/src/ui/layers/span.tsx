// The part of the motion that is played over and over: a bar on the track, with an end to drag on either side.
import { useSignal } from "@preact/signals";
import { soon } from "../../pace";
import { ask, state } from "../../session";
import { onFrame } from "./choice";

export function Span({ duration }: { duration: number }) {
  const dragged = useSignal<[number, number] | null>(null);
  const span = dragged.value ?? state.value?.transport.span;
  if (!span) return null;
  const place = (time: number) => `${(100 * Math.min(duration, Math.max(0, time))) / duration}%`;
  const end = (which: 0 | 1) => (
    <button
      type="button"
      class="span-end"
      aria-label={
        which
          ? `The part ends at ${span[1].toFixed(2)} seconds`
          : `The part begins at ${span[0].toFixed(2)} seconds`
      }
      title={which ? "Where the part ends (.); drag it" : "Where the part begins (,); drag it"}
      style={{ left: place(span[which]) }}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        event.stopPropagation();
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const box = event.currentTarget.parentElement!.parentElement!.getBoundingClientRect();
        dragged.value = moved(span, which, (duration * (event.clientX - box.left)) / box.width, duration);
        const [from, to] = dragged.value;
        soon("loop", () => ask({ do: "loop", start: from, end: to }));
      }}
      onLostPointerCapture={(event) => {
        event.stopPropagation();
        dragged.value = null;
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const [from, to] = moved(span, which, span[which] + step * frame(), duration);
        ask({ do: "loop", start: from, end: to });
      }}
    />
  );
  return (
    <div class="span">
      <div class="span-bar" style={{ left: place(span[0]), right: `calc(100% - ${place(span[1])})` }} />
      {end(0)}
      {end(1)}
    </div>
  );
}

/** How long a frame of the motion is [s]. */
function frame(): number {
  return 1 / (state.value?.transport.fps || 60);
}

/** With one of its ends at another time, at least a frame away from the other one. */
export function moved(
  span: readonly number[],
  which: 0 | 1,
  time: number,
  duration: number,
): [number, number] {
  const [from, to] = span as [number, number];
  const at = onFrame(Math.min(duration, Math.max(0, time)));
  return which ? [from, Math.max(at, from + frame())] : [Math.min(at, to - frame()), to];
}
