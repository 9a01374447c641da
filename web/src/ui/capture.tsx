// Live capture: a light that says whether a performer is heard, the numbers of the line, a recording, and sending on.
import { useSignal } from "@preact/signals";
import type { CaptureInfo } from "../messages";
import { ask, state } from "../session";

const WORDS: Record<string, string> = {
  off: "Off",
  waiting: "Waiting",
  live: "Live",
  lost: "Sender stopped",
};

const ADVICE: Record<string, string> = {
  off: "Follow a performer: VSeeFace, Warudo and others send poses over the VMC protocol.",
  waiting: "Let the other program send its poses to this port.",
  lost: "The last pose is kept until it sends again.",
};

export function Capture() {
  const now = state.value?.capture;
  if (!now) return null;
  return (
    <details class="capture">
      <summary>
        Live capture
        <span class={`light ${now.light}`} role="status">
          {WORDS[now.light] ?? now.light}
        </span>
      </summary>
      <div class="capture-rows">
        {ADVICE[now.light] && <p class="quiet">{ADVICE[now.light]}</p>}
        {now.light === "off" ? <Start /> : <Running now={now} />}
        <Sending to={now.sending} />
      </div>
    </details>
  );
}

function Start() {
  const port = useSignal(39539);
  return (
    <form
      class="capture-line"
      onSubmit={(event) => {
        event.preventDefault();
        ask({ do: "start-capture", port: port.value });
      }}
    >
      <span class="quiet">Port</span>
      <PortField
        value={port.value}
        low={0}
        change={(typed) => {
          port.value = typed;
        }}
      />
      <button type="submit" class="button outlined">
        Listen
      </button>
    </form>
  );
}

function Running({ now }: { now: CaptureInfo }) {
  const recording = now.recorded !== null;
  return (
    <>
      <dl class="figures-of-line">
        <Figure name="Heard on" value={`${now.host}:${now.port}`} />
        <Figure name="Delay" value={`${now.delay.toFixed(2)} s`} />
        <Figure name="Lost" value={`${now.loss.toFixed(0)} %`} />
        <Figure name="Packets" value={`${now.packets.toFixed(0)} /s`} />
        <Figure name="Joints" value={`${now.followed} follow`} />
      </dl>
      <div class="button-row">
        <button
          type="button"
          class="button"
          aria-pressed={recording}
          disabled={!recording && now.light !== "live"}
          onClick={() => ask({ do: recording ? "stop-recording" : "start-recording" })}
        >
          {recording ? `Keep ${now.recorded?.toFixed(1)} s` : "Record"}
        </button>
        <button type="button" class="button" onClick={() => ask({ do: "stop-capture" })}>
          Stop listening
        </button>
      </div>
    </>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Sending({ to }: { to: string | null }) {
  const host = useSignal("127.0.0.1");
  const port = useSignal(39540);
  if (to !== null)
    return (
      <div class="capture-line">
        <span class="quiet">Sent on to {to}</span>
        <button type="button" class="button outlined" onClick={() => ask({ do: "stop-sending" })}>
          Stop sending
        </button>
      </div>
    );
  return (
    <form
      class="capture-line"
      title="Every pose that is shown goes to another program, over the VMC protocol"
      onSubmit={(event) => {
        event.preventDefault();
        ask({ do: "start-sending", host: host.value.trim(), port: port.value });
      }}
    >
      <label>
        <span>Send to</span>
        <input
          type="text"
          aria-label="Machine to send to"
          spellcheck={false}
          maxLength={200}
          value={host.value}
          onInput={(event) => {
            host.value = event.currentTarget.value;
          }}
        />
      </label>
      <PortField
        value={port.value}
        low={1}
        change={(typed) => {
          port.value = typed;
        }}
      />
      <button type="submit" class="button outlined">
        Send
      </button>
    </form>
  );
}

function PortField({ value, low, change }: { value: number; low: number; change: (typed: number) => void }) {
  return (
    <input
      type="number"
      aria-label="Port"
      min={low}
      max={65535}
      step={1}
      required
      value={value}
      onInput={(event) => {
        const typed = event.currentTarget.valueAsNumber;
        if (Number.isInteger(typed)) change(typed);
      }}
    />
  );
}
