// The red mark and the time while what is seen is recorded.
import { recordedSeconds, toggleRecording } from "../capture";
import type { Stage } from "../scene/stage";

export function Recording({ stage }: { stage: Stage }) {
  const seconds = recordedSeconds.value;
  if (seconds === null) return null;
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <p class="notice recording">
      <span class="red-mark" aria-hidden="true" />
      Recording {time}
      <button type="button" class="button" onClick={() => toggleRecording(stage)}>
        Stop
      </button>
    </p>
  );
}
