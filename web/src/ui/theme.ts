// Dark or light: as the system says, or as chosen here; kept for the next time.
import { computed, effect, signal } from "@preact/signals";
import type { Look } from "../scene/looks";

export type Theme = "system" | "dark" | "light";
const THEMES: readonly Theme[] = ["system", "dark", "light"];
const KEPT_AS = "supple-theme";

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const systemLook = signal<Look>(systemIsDark.matches ? "dark" : "light");
systemIsDark.addEventListener("change", ({ matches }) => {
  systemLook.value = matches ? "dark" : "light";
});

const kept = localStorage.getItem(KEPT_AS);
export const theme = signal<Theme>(THEMES.find((name) => name === kept) ?? "system");
export const look = computed<Look>(() => (theme.value === "system" ? systemLook.value : theme.value));

effect(() => {
  document.documentElement.dataset.theme = look.value;
  localStorage.setItem(KEPT_AS, theme.value);
});

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the person asked for less motion. */
export function calm(): boolean {
  return reduced.matches;
}
