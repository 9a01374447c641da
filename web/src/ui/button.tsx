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
}

export function ActionButton({ id, stage, text, beside }: ButtonProps) {
  const action = actionNamed(id);
  const icon = typeof action.icon === "function" ? action.icon() : action.icon;
  const name = nameOf(action);
  return (
    <button
      type="button"
      class="button"
      id={`action-${id}`}
      aria-label={text ? `${name}, ${text}` : name}
      aria-pressed={action.pressed?.()}
      title={`${name} (${action.keys.map(shownKey).join(" or ")})`}
      disabled={!isEnabled(action)}
      onClick={() => action.run(stage)}
    >
      {icon && !text && <Icon name={icon} />}
      {text}
      {beside && <span class="step quiet wide-only">{beside}</span>}
    </button>
  );
}
