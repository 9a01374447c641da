// The motion's time: play, step, speed, a playhead to drag, and the time in figures.
import { effect, type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { soon } from "../pace";
import type { Stage } from "../scene/stage";
import { ask, curvesShown, motionTime, state } from "../session";
import { SPEEDS } from "./actions";
import { ActionButton } from "./button";
import { CurveList } from "./curves";
import { layersShown, within } from "./layers/choice";
import { LayerList } from "./layers/list";
import { Span } from "./layers/span";

const KEY_STEP = 1 / 30; // [s]
const TICK = 44; // room for a tick with its figure [px]
const READABLE = 100; // between two figures [ms]

export function Timeline({ stage }: { stage: Stage }) {
  const duration = state.value?.transport.duration ?? null;
  return (
    <section class="timeline" aria-label="Motion">
      <div class="transport" role="group" aria-label="Playing">
        <ActionButton id="to-start" stage={stage} />
        <ActionButton id="step-back" stage={stage} />
        <ActionButton id="play" stage={stage} />
        <ActionButton id="step-ahead" stage={stage} />
        <ActionButton id="loop" stage={stage} />
        <ActionButton id="as-baked" stage={stage} />
        <ActionButton id="layers" stage={stage} />
        <ActionButton id="ghosts" stage={stage} />
        <ActionButton id="curves" stage={stage} />
      </div>
      {duration ? <Track duration={duration} /> : <p class="track quiet">{state.value && endless()}</p>}
      <div class="clock">
        <Figures duration={duration} />
        <Speed />
      </div>
      {duration && <CurveList duration={duration} />}
      {duration && <LayerList duration={duration} />}
    </section>
  );
}

/** What stands in place of a track. */
function endless(): string {
  return (state.value?.capture?.light ?? "off") === "off"
    ? "This motion has no end."
    : "A performer leads it.";
}

/** Time in figures, as often as they can be read: what changes in every picture is laid out in every picture. */
function useFigures(duration: number | null): Signal<string> {
  const words = useSignal("0.00");
  useEffect(() => {
    const show = () => {
      const time = motionTime.peek();
      words.value = (duration ? within(time, duration) : time).toFixed(2);
    };
    show();
    const timer = setInterval(show, READABLE);
    return () => clearInterval(timer);
  }, [duration, words]);
  return words;
}

function Figures({ duration }: { duration: number | null }) {
  const words = useFigures(duration);
  return (
    <output class="figures" aria-label="Time of the motion">
      <b>{words}</b>
      <span class="quiet">{duration ? ` / ${duration.toFixed(2)} s` : " s"}</span>
    </output>
  );
}

function Speed() {
  const rate = state.value?.transport.rate ?? 1;
  const speeds = SPEEDS.includes(rate) ? SPEEDS : [...SPEEDS, rate].sort((a, b) => a - b);
  return (
    <select
      aria-label="Speed"
      title="Speed of the motion (↓ ↑)"
      value={String(rate)}
      onChange={(event) => ask({ do: "run", rate: Number(event.currentTarget.value) })}
    >
      {speeds.map((speed) => (
        <option key={speed} value={String(speed)}>
          {speed < 0 ? `−${-speed}` : speed} ×
        </option>
      ))}
    </select>
  );
}

/** Spacing of ticks [s]: 1, 2 or 5 of a power of ten, ten of them at most and as many as there is room for. */
function tickSpacing(duration: number, width: number): number {
  const rough = duration / Math.max(1, Math.min(10, width / TICK));
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((step) => step * power >= rough) ?? 10) * power;
}

function Track({ duration }: { duration: number }) {
  const track = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const dragged = useSignal<number | null>(null);
  useEffect(
    () =>
      effect(() => {
        const time = dragged.value ?? within(motionTime.value, duration);
        const place = `${(100 * time) / duration}%`;
        head.current?.style.setProperty("translate", place);
        if (!layersShown() && !curvesShown.value) return;
        head.current?.closest<HTMLElement>(".timeline")?.style.setProperty("--playhead", place);
      }),
    [duration, dragged],
  );
  const width = useSignal(10 * TICK);
  useEffect(() => {
    const seen = new ResizeObserver(() => {
      width.value = track.current?.clientWidth || width.value;
    });
    seen.observe(track.current!);
    return () => seen.disconnect();
  }, [width]);
  const figures = useFigures(duration);
  const seek = (time: number) => soon("seek", () => ask({ do: "seek", time }));
  const dragTo = (event: PointerEvent) => {
    const box = track.current!.getBoundingClientRect();
    dragged.value = duration * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    seek(dragged.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = within(motionTime.value, duration);
    const to = {
      ArrowLeft: now - KEY_STEP,
      ArrowRight: now + KEY_STEP,
      PageDown: now - 0.5,
      PageUp: now + 0.5,
      Home: 0,
      End: duration,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    seek(Math.min(duration, Math.max(0, to)));
  };
  const spacing = tickSpacing(duration, width.value);
  const ticks = Array.from({ length: Math.floor(duration / spacing + 1e-6) + 1 }, (_, i) => i * spacing);
  return (
    <div
      ref={track}
      class="track"
      role="slider"
      tabIndex={0}
      aria-label="Time of the motion"
      aria-valuemin={0}
      aria-valuemax={Number(duration.toFixed(2))}
      aria-valuenow={useComputed(() => Number(figures.value))}
      aria-valuetext={useComputed(() => `${figures.value} seconds`)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        dragTo(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) dragTo(event);
      }}
      onLostPointerCapture={() => {
        dragged.value = null;
      }}
      onKeyDown={onKeyDown}
    >
      <div class="rail" />
      <Span duration={duration} />
      {ticks.map((time) => (
        <span class="tick" key={time} style={{ left: `${(100 * time) / duration}%` }}>
          {Number(time.toFixed(3))}
        </span>
      ))}
      <div ref={head} class="playhead" />
    </div>
  );
}
