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
  const about = useRef({ anchor, close });
  about.current = { anchor, close };
  useLayoutEffect(() => {
    const own = sheet.current!;
    const covered = over?.()?.getBoundingClientRect();
    if (covered) {
      own.style.setProperty("left", `${covered.left + GAP}px`);
      own.style.setProperty("top", `${covered.top + GAP}px`);
      own.style.setProperty("width", `${covered.width - 2 * GAP}px`);
      own.style.setProperty("max-height", `${covered.height - 2 * GAP}px`);
      return;
    }
    const at = anchor()?.getBoundingClientRect();
    if (!at) return;
    const { width, height } = own.getBoundingClientRect();
    const left = Math.min(Math.max(GAP, at.left + at.width / 2 - width / 2), innerWidth - width - GAP);
    const above = at.top - height - GAP;
    own.style.setProperty("left", `${left}px`);
    own.style.setProperty(
      "top",
      `${above >= GAP ? above : Math.min(at.bottom + GAP, innerHeight - height - GAP)}px`,
    );
  });
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
