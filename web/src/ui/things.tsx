// The rows of things in the way: what the next one is, and those that there are.
import { ask, state, view } from "../session";
import { thingFree, thingKind, thingMass, thingSize } from "../tools/throw";
import { Icon } from "./icons";
import { plainName } from "./words";

const KINDS = ["ball", "box", "capsule"];

export function ThingOptions() {
  const things = state.value?.things;
  if (!things?.met)
    return (
      <div class="brush">
        <p class="quiet">This skin meets nothing. Contact does:</p>
        <div class="button-row">
          <button
            type="button"
            class="button"
            onClick={() => ask({ do: "choose-skin", skin: "contact", view: view.value?.view ?? 0 })}
          >
            Contact
          </button>
        </div>
      </div>
    );
  return (
    <div class="brush">
      <fieldset class="actions-of-brush">
        <legend class="visually-hidden">What to put in</legend>
        {KINDS.map((kind) => (
          <button
            type="button"
            class="button"
            key={kind}
            aria-pressed={thingKind.value === kind}
            onClick={() => {
              thingKind.value = kind;
            }}
          >
            {plainName(kind)}
          </button>
        ))}
      </fieldset>
      <label class="chooser" title="How large it is across">
        <span>Size</span>
        <input
          type="range"
          min={0.05}
          max={0.6}
          step={0.01}
          value={thingSize.value}
          onInput={(event) => {
            thingSize.value = Number(event.currentTarget.value);
          }}
        />
        <span class="quiet figure">{Math.round(100 * thingSize.value)} cm</span>
      </label>
      <label class="check" title="What is not free stands still, whatever hits it">
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={thingFree.value}
          checked={thingFree.value}
          onChange={(event) => {
            thingFree.value = event.currentTarget.checked;
          }}
        />
        <span>Falls and flies</span>
      </label>
      {thingFree.value && (
        <label class="chooser" title="How heavy it is">
          <span>Mass</span>
          <input
            type="range"
            min={0.2}
            max={20}
            step={0.2}
            value={thingMass.value}
            onInput={(event) => {
              thingMass.value = Number(event.currentTarget.value);
            }}
          />
          <span class="quiet figure">{thingMass.value.toFixed(1)} kg</span>
        </label>
      )}
      <ul class="things">
        {things.rows.map(({ name, free }) => (
          <li key={name}>
            <span>
              {name}
              {free ? "" : ", stands still"}
            </span>
            <button
              type="button"
              class="button small"
              aria-label={`Take ${name} away`}
              title="Take it away"
              onClick={() => ask({ do: "remove-thing", name })}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
