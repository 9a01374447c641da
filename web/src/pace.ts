// At most one a picture: of many calls between two pictures only the last is made.
const waiting = new Map<string, () => void>();

/** Do this before the next picture; a later call of the same name takes its place. */
export function soon(name: string, act: () => void): void {
  if (waiting.size === 0) requestAnimationFrame(flush);
  waiting.set(name, act);
}

/** Do not do it after all. */
export function notSoon(name: string): void {
  waiting.delete(name);
}

function flush(): void {
  const acts = [...waiting.values()];
  waiting.clear();
  for (const act of acts) act();
}
