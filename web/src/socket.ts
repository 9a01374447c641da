// The one connection to the engine: commands out with a number each, events and frames in, and again when it is lost.
import { type Command, type Event, PROTOCOL } from "./messages";

const FIRST_WAIT = 250; // [ms]
const LONGEST_WAIT = 8000; // [ms]

export interface Listener {
  opened(): void;
  lost(reason: string, waitMilliseconds: number): void;
  event(event: Event): void;
  frame(message: ArrayBuffer): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private seq = 0;
  private wait = FIRST_WAIT;

  constructor(
    private readonly address: string,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  /** Send a command; its number, or null while there is no engine to hear it. */
  send(command: Command): number | null {
    if (this.socket?.readyState !== WebSocket.OPEN) return null;
    const seq = ++this.seq;
    this.socket.send(JSON.stringify({ ...command, seq }));
    return seq;
  }

  private connect(): void {
    const socket = new WebSocket(this.address, PROTOCOL);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.opened();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.listener.event(JSON.parse(data) as Event);
      else this.listener.frame(data as ArrayBuffer);
    };
    socket.onclose = ({ reason }) => {
      this.listener.lost(reason, this.wait);
      setTimeout(() => this.connect(), this.wait * (0.8 + 0.4 * Math.random()));
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
    this.socket = socket;
  }
}
