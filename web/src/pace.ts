// At most one a picture: the first call between two pictures is made at once, of the others only the last.
const waiting = new Map<string, (() => void) | null>();

/** Do this now, or before the next picture where it was done since the last; a later call then takes its place. */
export function soon(name: string, act: () => void): void {
  if (waiting.size === 0) requestAnimationFrame(flush);
  if (waiting.has(name)) waiting.set(name, act);
  else {
    waiting.set(name, null);
    act();
  }
}

/** Do not do it after all. */
export function notSoon(name: string): void {
  if (waiting.get(name)) waiting.set(name, null);
}

function flush(): void {
  const acts = [...waiting];
  waiting.clear();
  for (const [name, act] of acts) if (act) soon(name, act);
}
