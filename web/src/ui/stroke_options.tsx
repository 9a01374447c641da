// Rows of the tool that poses by strokes: what is drawn next, and how wide the brush is.
import { drawingPlane } from "../tools/drawing_plane";
import {
  brush,
  forget,
  isPosed,
  metres,
  partly,
  phase,
  setBrush,
  stretch,
  twisted,
} from "../tools/stroke_pose";
import { PoseSwitches, Switch } from "./pose_options";

export function StrokeOptions({ face, toggle }: { face: () => void; toggle: () => void }) {
  const isFirst = phase.value === "baseline";
  return (
    <>
      <p class="quiet">
        {isFirst
          ? "First the line over the bones; lit joints are picked."
          : "Now where they are to go: draw as often as you like, or drag a knot. A click takes a joint in or out."}
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
        <button type="button" class="button outlined" title="Escape" onClick={forget}>
          Another line over the bones
        </button>
      )}
      <label
        class="chooser"
        title="How many times as long, or as short, bones may become to come to the line"
      >
        <span>Stretch</span>
        <input
          type="range"
          min={1}
          max={2.5}
          step={0.05}
          value={stretch.value}
          aria-valuetext={`${stretch.value.toFixed(2)} times`}
          onInput={(event) => {
            stretch.value = Number(event.currentTarget.value);
          }}
        />
        <span class="quiet figure">{stretch.value > 1 ? `${stretch.value.toFixed(2)} ×` : "none"}</span>
      </label>
      <Switch
        label="Twist with the line"
        value={twisted}
        title="Bones turn about themselves as the line does"
      />
      {isPosed.value && (
        <Switch
          label="Draw a part anew"
          value={partly}
          title="What is drawn takes the place of that part of the second line that it lies along"
        />
      )}
      <label
        class="check"
        title="The second line lies on a plane that you put up: drag its middle, which snaps to joints, or its rings"
      >
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={drawingPlane.value !== null}
          checked={drawingPlane.value !== null}
          onChange={toggle}
        />
        <span>Draw on a plane of my own</span>
      </label>
      {drawingPlane.value && (
        <button type="button" class="button outlined" onClick={face}>
          Turn the plane to me
        </button>
      )}
      <PoseSwitches another={false} />
    </>
  );
}
