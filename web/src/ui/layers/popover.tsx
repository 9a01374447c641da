// A small sheet beside what it is about; it goes on Escape and when a pointer goes down elsewhere.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const GAP = 6; // between the sheet and what it is about, and to the window's edges [px]

export function Popover({
  anchor,
  over,
  label,
  close,
  children,
}: {
  anchor: () => Element | null | undefined;
  /** What it covers instead of standing at the anchor, where that is there. */
  over?: () => Element | null;
  label: string;
  close: () => void;
  children: ComponentChildren;
}) {
  const sheet = useRef<HTMLDivElement>(null);
  const about = useRef({ anchor, over, close });
  about.current = { anchor, over, close };
  const stand = () => {
    if (!sheet.current) return; // a window may change its size in the moment in which the sheet goes
    standBeside(sheet.current, about.current.anchor(), about.current.over?.() ?? null);
  };
  useLayoutEffect(stand);
  useEffect(() => {
    const grown = new ResizeObserver(stand);
    grown.observe(sheet.current!);
    addEventListener("resize", stand);
    return () => {
      grown.disconnect();
      removeEventListener("resize", stand);
    };
  }, []);
  useEffect(() => {
    const field = ["input, select", "[aria-current], button"].map((kind) =>
      sheet.current?.querySelector<HTMLElement>(kind),
    );
    field.find(Boolean)?.focus({ preventScroll: true });
    const outside = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!sheet.current?.contains(target) && !about.current.anchor()?.contains(target))
        about.current.close();
    };
    addEventListener("pointerdown", outside, true);
    return () => removeEventListener("pointerdown", outside, true);
  }, []);
  return (
    <div
      ref={sheet}
      class="popover"
      role="dialog"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
        (anchor() as HTMLElement | null)?.focus();
      }}
    >
      {children}
    </div>
  );
}

/** Over what it covers; else above what it is about, or below where that has no room, and within the window. */
function standBeside(sheet: HTMLElement, about: Element | null | undefined, over: Element | null): void {
  const set = (name: string, pixels: number) => sheet.style.setProperty(name, `${pixels}px`);
  const covered = over?.getBoundingClientRect();
  if (covered) {
    set("left", covered.left + GAP);
    set("top", covered.top + GAP);
    set("width", covered.width - 2 * GAP);
    set("max-height", covered.height - 2 * GAP);
    return;
  }
  const at = about?.getBoundingClientRect();
  if (!at) return;
  sheet.style.removeProperty("width");
  const [above, below] = [at.top - 2 * GAP, innerHeight - at.bottom - 2 * GAP]; // room
  set("max-height", Math.max(above, below));
  const { width, height } = sheet.getBoundingClientRect();
  set("left", Math.max(GAP, Math.min(at.left + at.width / 2 - width / 2, innerWidth - width - GAP)));
  set("top", height <= above ? at.top - height - GAP : at.bottom + GAP);
}
