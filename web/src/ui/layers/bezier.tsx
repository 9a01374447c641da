// A way to the next key that is drawn by hand: a Bézier curve, whose two tangents have handles to drag.
import { useRef, useState } from "preact/hooks";
import { notSoon, soon } from "../../pace";

const WRITTEN = /^cubic-bezier\(([^()]+)\)$/;
const [ROOM, SIDE] = [24, 96]; // about the square and of it [CSS pixels]: curves may overshoot
const FINE = 100; // steps of a handle from 0 to 1
const STEP = 0.05; // of the arrow keys
const OVER = ROOM / SIDE; // how far a handle goes above and below

type Ends = [number, number, number, number];

export const FIRST_BEZIER = "cubic-bezier(0.3, 0, 0.2, 1)";

/** The ends of the tangents of an easing that is such a curve. */
export function bezierOf(ease: string): Ends | null {
  const found = WRITTEN.exec(ease)?.[1]?.split(",").map(Number);
  return found?.length === 4 ? (found as Ends) : null;
}

export function BezierEditor({
  ends,
  change,
}: {
  ends: Ends;
  change: (ease: string, done: boolean) => void;
}) {
  const [held, setHeld] = useState<{ handle: 0 | 1; ends: Ends } | null>(null);
  const square = useRef<SVGSVGElement>(null);
  const [x1, y1, x2, y2] = held?.ends ?? ends;
  const put = (handle: 0 | 1, x: number, y: number): Ends => {
    const at = [
      Math.min(1, Math.max(0, Math.round(x * FINE) / FINE)),
      Math.min(1 + OVER, Math.max(-OVER, Math.round(y * FINE) / FINE)),
    ] as const;
    return handle === 0 ? [...at, x2, y2] : [x1, y1, ...at];
  };
  const under = (event: PointerEvent) => {
    const box = square.current!.getBoundingClientRect();
    return [(event.clientX - box.left - ROOM) / SIDE, 1 - (event.clientY - box.top - ROOM) / SIDE] as const;
  };
  const handle = (number: 0 | 1) => {
    const [x, y] = number === 0 ? [x1, y1] : [x2, y2];
    const release = (cancelled: boolean) => {
      if (held?.handle !== number) return;
      notSoon("bezier");
      setHeld(null);
      change(written(cancelled ? ends : held.ends), true);
    };
    return (
      <circle
        class="bezier-handle"
        role="button"
        tabindex={0}
        aria-label={`${number === 0 ? "First" : "Second"} handle: ${x} of the time, ${y} of the way. Arrow keys move it.`}
        cx={across(x)}
        cy={down(y)}
        r={6}
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.focus();
          event.currentTarget.setPointerCapture(event.pointerId);
          setHeld({ handle: number, ends: [x1, y1, x2, y2] });
        }}
        onPointerMove={(event) => {
          if (held?.handle !== number) return;
          const now = put(number, ...under(event));
          setHeld({ handle: number, ends: now });
          soon("bezier", () => change(written(now), false));
        }}
        onPointerUp={() => release(false)}
        onPointerCancel={() => release(true)}
        onKeyDown={(event) => {
          const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
            event.key
          ];
          if (!way) return;
          event.preventDefault();
          event.stopPropagation();
          change(written(put(number, x + STEP * way[0]!, y + STEP * way[1]!)), true);
        }}
      />
    );
  };
  const size = SIDE + 2 * ROOM;
  return (
    <svg
      ref={square}
      class="bezier"
      width={size}
      height={size}
      role="group"
      aria-label="The curve to the next key: time goes right, how far it has come goes up"
    >
      <rect x={ROOM} y={ROOM} width={SIDE} height={SIDE} class="bezier-square" />
      <path
        d={`M${across(0)} ${down(0)}L${across(x1)} ${down(y1)}M${across(1)} ${down(1)}L${across(x2)} ${down(y2)}`}
        class="bezier-tangent"
      />
      <path
        d={`M${across(0)} ${down(0)}C${across(x1)} ${down(y1)} ${across(x2)} ${down(y2)} ${across(1)} ${down(1)}`}
        class="bezier-curve"
      />
      {handle(0)}
      {handle(1)}
    </svg>
  );
}

const across = (x: number) => ROOM + SIDE * x;
const down = (y: number) => ROOM + SIDE * (1 - y);

function written(ends: Ends): string {
  return `cubic-bezier(${ends.join(", ")})`;
}
