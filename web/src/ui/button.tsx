// A button of an action: its drawing, its name and its key.
import type { Stage } from "../scene/stage";
import { type ActionId, actionNamed, isEnabled, nameOf } from "./actions";
import { Icon } from "./icons";
import { shownKey } from "./keys";

interface ButtonProps {
  id: ActionId;
  stage: Stage;
  text?: string; // instead of the drawing
  beside?: string | null | undefined; // said beside it where there is room
  named?: boolean; // its name stands beside it while it is pointed at
}

export function ActionButton({ id, stage, text, beside, named = false }: ButtonProps) {
  const action = actionNamed(id);
  const icon = typeof action.icon === "function" ? action.icon() : action.icon;
  const name = nameOf(action);
  const keys = action.keys.map(shownKey).join(" or ");
  return (
    <button
      type="button"
      class="button"
      id={`action-${id}`}
      aria-label={name}
      aria-pressed={action.pressed?.()}
      title={named ? undefined : `${name} (${keys})`}
      disabled={!isEnabled(action)}
      onClick={() => action.run(stage)}
    >
      {icon && !text && <Icon name={icon} />}
      {text}
      {named && (
        <span class="tool-name" aria-hidden="true" data-keys={keys}>
          {name}
        </span>
      )}
      {beside && <span class="step quiet wide-only">{beside}</span>}
    </button>
  );
}
