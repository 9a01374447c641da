// Rows of the tool that poses by strokes: what is drawn next, and how wide the brush is.
import { brush, forget, metres, phase, setBrush } from "../tools/stroke_pose";
import { PoseSwitches } from "./pose_options";

export function StrokeOptions() {
  const isFirst = phase.value === "baseline";
  return (
    <>
      <p class="quiet">
        {isFirst
          ? "First the line over the bones; lit joints are picked."
          : "Now where they are to go: draw as often as you like, or drag a knot."}
      </p>
      <label class="chooser" title="How far from the line joints are picked ([ and ])">
        <span>Brush</span>
        <input
          type="range"
          min={0.01}
          max={0.4}
          step={0.005}
          value={brush.value}
          aria-valuetext={`${(100 * metres()).toFixed(1)} centimetres`}
          onInput={(event) => setBrush(Number(event.currentTarget.value))}
        />
        <span class="quiet figure">{(100 * metres()).toFixed(1)} cm</span>
      </label>
      {!isFirst && (
        <button type="button" class="button wide" title="Escape" onClick={forget}>
          Another line over the bones
        </button>
      )}
      <PoseSwitches another={false} />
    </>
  );
}
