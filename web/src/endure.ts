// Plays for long while skins are changed, so that what is never let go shows in the memory of page and server.
import * as session from "./session";

const ENDURE = /^#endure=([\d.]+),(\d+)$/; // minutes, and how often the skin is changed in them

/** What the address asks for; `supple bench endurance` does. */
export const endurance = ENDURE.exec(location.hash);

/** Change the skin again and again, and say when it is over. */
export async function endure([, minutes, times]: RegExpExecArray): Promise<void> {
  const [duration, changes] = [60_000 * Number(minutes), Number(times)];
  while (session.state.value === null) await wait(100);
  const { skins } = session.state.value;
  const begun = performance.now();
  for (let i = 1; i <= changes; i++) {
    session.ask({ do: "choose-skin", skin: skins[i % skins.length]! });
    await wait(begun + (i * duration) / changes - performance.now());
  }
  await fetch("/measured", { method: "POST", body: JSON.stringify({ changes }) });
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
