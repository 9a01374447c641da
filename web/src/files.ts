// Files: those that the engine can open, by number, and those that are sent to it, one after another.
import { signal } from "@preact/signals";
import type { FileInfo, Files, Refused } from "./messages";
import { ask, showRefused, showTold } from "./session";

export interface Sending {
  name: string;
  share: number; // of its bytes that have gone; 1 while it is being read
  stop: () => void;
}

export const files = signal<Files | null>(null);
export const sending = signal<Sending | null>(null);

const waiting: File[] = [];

/** Ask anew which files there are. */
export async function loadFiles(): Promise<void> {
  const answer = await fetch("/files").catch(() => null);
  if (answer?.ok) files.value = (await answer.json()) as Files;
}

/** Open a file of the list; only its motion, for the character that plays, where that is wanted. */
export function openFile({ number, kind }: FileInfo, motion = kind === "motion"): void {
  ask({ do: "open-file", number, motion });
}

/** Send files and open them, characters before the motions that they shall make. */
export async function sendFiles(chosen: Iterable<File>): Promise<void> {
  const idle = waiting.length === 0 && !sending.value;
  waiting.push(...[...chosen].sort((a, b) => Number(isMotion(a)) - Number(isMotion(b))));
  if (!idle) return;
  if (!files.value) await loadFiles();
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const refused = refusal(next);
    if (refused) {
      showRefused(refused);
      continue;
    }
    const sent = await send(next);
    if (sent) openFile(sent);
  }
  void loadFiles();
}

function isMotion({ name }: File): boolean {
  return name.toLowerCase().endsWith(".bvh");
}

/** What can be said against a file before a byte of it goes. */
function refusal({ name, size: bytes }: File): Refused | null {
  const known = files.value;
  if (!known) return null;
  const refused = (given: string, needed: string, advice: string): Refused => ({
    event: "refused",
    seq: 0,
    where: name,
    given,
    needed,
    advice,
  });
  const suffix = /\.[^.]*$/.exec(name.toLowerCase())?.[0] ?? "";
  if (!known.suffixes.includes(suffix))
    return refused(
      suffix ? `its suffix is ${suffix}` : "it has no suffix",
      `files are ${known.suffixes.join(", ")}`,
      "convert it to one of those",
    );
  if (bytes === 0) return refused("it is empty", "a file with something in it", "export it again");
  if (bytes > known.largest)
    return refused(
      `it has ${size(bytes)}`,
      `up to ${size(known.largest)} are taken`,
      "start supple studio with --folder to open it from there",
    );
  return null;
}

/** "537 MB". */
export function size(bytes: number): string {
  const [amount, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount).toLocaleString("en")} ${unit}`;
}

/** Send the bytes of a file; what the engine made of it, or null where it was refused or stopped. */
function send(file: File): Promise<FileInfo | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const share = (part: number) => {
      sending.value = { name: file.name, share: part, stop: () => request.abort() };
    };
    request.open("POST", `/upload/either?name=${encodeURIComponent(file.name)}`);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => share(total ? loaded / total : 0);
    request.upload.onload = () => share(1);
    request.onload = () => {
      const answer = request.response as FileInfo | Refused | null;
      if (request.status === 200 && answer) resolve(answer as FileInfo);
      else {
        if (answer && "given" in answer) showRefused(answer);
        else showTold(`${file.name} was not taken. Open the address that the terminal shows.`);
        resolve(null);
      }
    };
    request.onerror = () => {
      showTold(`${file.name} could not be sent: the engine is out of reach, or refused it at once.`);
      resolve(null);
    };
    request.onabort = () => resolve(null);
    request.onloadend = () => {
      sending.value = null;
    };
    share(0);
    request.send(file);
  });
}
