// Labels of characters that are compared: which skin each one has, how long it takes, and which one the panel is of.
import { viewMilliseconds } from "../meters";
import { grid } from "../scene/layout";
import { activeStage, activeView, ask, drafts, state, view } from "../session";
import { Icon } from "./icons";
import { breakable, plainName } from "./words";

export function Panes() {
  const views = state.value?.views ?? [];
  const { columns, rows, inset, right } = grid.value;
  if (views.length < 2) return null;
  return (
    <div
      class="panes"
      style={{ "--columns": columns, "--rows": rows, left: `${inset}px`, right: `${right}px` }}
    >
      {views.map(({ view: number, stages, preparing }) => (
        <section
          key={number}
          class={`pane view-${number} ${view.value?.view === number ? "active" : ""}`}
          aria-label={`View ${number + 1}`}
        >
          <div class="pane-label">
            <button
              type="button"
              class="button"
              aria-pressed={view.value?.view === number}
              title={`${stages.map(({ name }) => plainName(name)).join(", then ")}; let the panel be of this one`}
              onClick={() => choose(number)}
            >
              <i class="view-dot" />
              <span>{breakable(plainName(stages.at(-1)?.name ?? ""))}</span>
            </button>
            <span class="quiet figure">
              {preparing ? "binding …" : `${(viewMilliseconds.value[number] ?? 0).toFixed(1)} ms`}
            </span>
            <button
              type="button"
              class="button small"
              aria-label={`Remove ${plainName(stages.at(-1)?.name ?? "")}`}
              title="Compare with this one no longer"
              onClick={() => ask({ do: "remove-view", view: number })}
            >
              <Icon name="close" />
            </button>
          </div>
        </section>
      ))}
    </div>
  );
}

function choose(number: number): void {
  activeView.value = number;
  activeStage.value = null;
  drafts.value = {};
}

/** A list of skins, one of which joins those that are shown. */
export function Compare({ skins, views }: { skins: readonly string[]; views: number }) {
  return (
    <label class="chooser">
      <span>Compare</span>
      <select
        value=""
        disabled={views >= 4}
        title={views >= 4 ? "Four are shown; remove one first" : "Show another skin beside"}
        onChange={(event) => {
          ask({ do: "add-view", skin: event.currentTarget.value });
          event.currentTarget.value = "";
        }}
      >
        <option value="" disabled>
          {views >= 4 ? "four are shown" : "add a skin …"}
        </option>
        {skins.map((name) => (
          <option key={name} value={name}>
            {plainName(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
