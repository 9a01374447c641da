// Names for what is drawn next: none that anything has yet.
import { state } from "../session";

export function freeName(wanted: string): string {
  const { shapes = [], poses = [], strokes = [], layers = [] } = state.value?.edits ?? {};
  const taken = new Set([...shapes, ...poses, ...strokes, ...layers.map(({ name }) => name)]);
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
  return name;
}
