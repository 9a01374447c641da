// From where the character is looked at goes along with the document: said when the camera rests, taken up when opened.
import type { Stage } from "./scene/stage";
import { ask, state } from "./session";

const REST = 700; // without a move, after which it is said [ms]
const MOVED = 0.02; // [m]

export class Looking {
  private said: readonly number[] = [];
  private opened: number | null = null;
  private timer = 0;

  constructor(private readonly stage: Stage) {}

  /** After every picture. */
  update(): void {
    const saving = state.value?.saving;
    if (saving && saving.opened !== this.opened && this.stage.skin?.frame) {
      this.opened = saving.opened;
      if (saving.camera) this.stage.lookFrom(saving.camera.position, saving.camera.target);
    }
    const now = this.stage.looked();
    if (!now || now.every((value, i) => Math.abs(value - (this.said[i] ?? Number.NaN)) < MOVED)) return;
    this.said = now;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.say(), REST);
  }

  private say(): void {
    const [x, y, z, tx, ty, tz] = this.said as [number, number, number, number, number, number];
    ask({ do: "look-from", position: [x, y, z], target: [tx, ty, tz] });
  }
}
