// All of a layer that is not set every day: its name, order, repeat and firmness.
import type { LayerInfo } from "../../messages";
import { ask, state } from "../../session";
import { Icon } from "../icons";
import { AmountField } from "./amount";
import { openSheet } from "./choice";
import { Popover } from "./popover";

const FIRMEST = 20; // on the slider; more can be typed

const close = () => {
  openSheet.value = null;
};

export function LayerSheet({
  layer,
  place,
  count,
  anchor,
}: {
  layer: LayerInfo;
  place: number;
  count: number;
  anchor: () => Element | null;
}) {
  const { name } = layer;
  const firmness = `firmness ${name}`;
  const move = (to: number) => ask({ do: "change-layer", layer: name, place: to });
  return (
    <Popover label={`Layer ${name}`} anchor={anchor} close={close}>
      <header>
        <input
          type="text"
          aria-label="Name of the layer"
          maxLength={200}
          spellcheck={false}
          value={name}
          onChange={({ currentTarget }) => {
            const typed = currentTarget.value.trim();
            if (typed && typed !== name) {
              ask({ do: "change-layer", layer: name, name: typed });
              openSheet.value = { layer: typed };
            } else currentTarget.value = name;
          }}
        />
        <Small name="up" label="Earlier in the list" disabled={place === 0} run={() => move(place - 1)} />
        <Small
          name="down"
          label="Later in the list"
          disabled={place === count - 1}
          run={() => move(place + 1)}
        />
        <Small
          name="bin"
          label="Delete this layer"
          run={() => {
            ask({ do: "delete-layer", layer: name });
            close();
          }}
        />
      </header>
      <AmountField
        name={`layer ${name}`}
        label="Amount"
        value={layer.amount}
        change={(amount, done) => ask({ do: "change-layer", layer: name, amount, done })}
      />
      <label class="line">
        <span class="quiet">Repeat</span>
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={layer.repeat}
          checked={layer.repeat}
          onChange={(event) => ask({ do: "change-layer", layer: name, repeat: event.currentTarget.checked })}
        />
        <span class="quiet">from its last key on it starts over</span>
      </label>
      {state.value?.edits.firm && (
        <AmountField
          name={firmness}
          label="Firmness"
          high={FIRMEST}
          value={layer.firmness}
          change={(value, done) => ask({ do: "change-layer", layer: name, firmness: value, done })}
        />
      )}
    </Popover>
  );
}

function Small({
  name,
  label,
  disabled = false,
  run,
}: {
  name: "up" | "down" | "bin";
  label: string;
  disabled?: boolean;
  run: () => void;
}) {
  return (
    <button
      type="button"
      class="button small"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={run}
    >
      <Icon name={name} />
    </button>
  );
}
