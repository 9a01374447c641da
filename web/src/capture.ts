// Pictures and films of what is seen: a PNG of the stage, or what is drawn from now on as webm or mp4.
import { signal } from "@preact/signals";
import type { Stage } from "./scene/stage";
import { showTold, state } from "./session";

const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const BITS = 8_000_000; // a second
const TICK = 200; // between two looks at the clock [ms]

/** How long a recording has gone on [s], or null while there is none. */
export const recordedSeconds = signal<number | null>(null);

let film: { sheet: HTMLCanvasElement; recorder: MediaRecorder; timer: number } | null = null;

/** Draw what the stage shows on a sheet of its size, on the ground that the page has behind it. */
function lay(stage: Stage, sheet: HTMLCanvasElement): void {
  const { width, height } = stage.canvas;
  if (sheet.width !== width) sheet.width = width;
  if (sheet.height !== height) sheet.height = height;
  const pen = sheet.getContext("2d")!;
  const ground = pen.createRadialGradient(
    width / 2,
    0.35 * height,
    0,
    width / 2,
    0.35 * height,
    0.9 * height,
  );
  ground.addColorStop(0, colour("--stage-high"));
  ground.addColorStop(1, colour("--stage-low"));
  pen.fillStyle = ground;
  pen.fillRect(0, 0, width, height);
  pen.drawImage(stage.canvas, 0, 0);
}

function colour(name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Save what is seen as a PNG, so many times as fine as it is shown. */
export function takePicture(stage: Stage, scale: 1 | 2): void {
  const sheet = document.createElement("canvas");
  stage.drawAt(scale, () => lay(stage, sheet));
  sheet.toBlob((blob) => {
    if (blob) save(blob, `${fileName()}${scale === 2 ? "@2x" : ""}.png`);
    else showTold("The picture could not be made.");
  }, "image/png");
}

/** Begin to record, or end it and save the film. */
export function toggleRecording(stage: Stage): void {
  if (film) {
    film.recorder.stop();
    return;
  }
  const kind = KINDS.find((one) => globalThis.MediaRecorder?.isTypeSupported(one));
  if (!kind) {
    showTold("This browser cannot record; export a film instead.");
    return;
  }
  const sheet = document.createElement("canvas");
  lay(stage, sheet);
  const recorder = new MediaRecorder(sheet.captureStream(), { mimeType: kind, videoBitsPerSecond: BITS });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    clearInterval(film?.timer);
    film = null;
    recordedSeconds.value = null;
    save(new Blob(parts, { type: kind }), `${fileName()}.${kind.includes("mp4") ? "mp4" : "webm"}`);
  };
  const began = performance.now();
  recordedSeconds.value = 0;
  const tick = () => {
    recordedSeconds.value = Math.floor((performance.now() - began) / 1000);
  };
  film = { sheet, recorder, timer: window.setInterval(tick, TICK) };
  recorder.start(1000);
  stage.redraw();
}

/** After every picture. */
export function recordPicture(stage: Stage): void {
  if (film) lay(stage, film.sheet);
}

function fileName(): string {
  const now = state.value;
  const name = now?.saving.name ?? now?.character.replace(/\..*$/, "") ?? "supple";
  return `${name} ${new Date().toTimeString().slice(0, 8).replaceAll(":", ".")}`;
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
