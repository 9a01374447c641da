// What was drawn, by name: how much of it there is, keys, other names, and away with it.
import { useComputed, useSignal } from "@preact/signals";
import { amounts } from "../../amounts";
import type { EditsInfo, LayerInfo } from "../../messages";
import { ask, state } from "../../session";
import { Icon } from "../icons";
import { twoFigures } from "../words";
import { AmountField } from "./amount";
import { layersWanted, playhead } from "./choice";

export function EditsSection() {
  const edits = state.value?.edits;
  if (!edits || edits.shapes.length + edits.poses.length + edits.strokes.length === 0) return null;
  const uses = [...edits.shapes, ...edits.poses];
  return (
    <details class="edits" open>
      <summary>
        Edits <span class="quiet">{uses.length + edits.strokes.length}</span>
      </summary>
      {uses.map((name) => (
        <Use key={name} name={name} edits={edits} />
      ))}
      {edits.shapes.length > 1 && <Merge shapes={edits.shapes} />}
      {edits.shapes.length > 0 && <Copy shapes={edits.shapes} />}
      {edits.strokes.length > 0 && <h3 class="quiet">Strokes</h3>}
      {edits.strokes.map((name) => (
        <div class="edit" key={`stroke ${name}`}>
          <Name name={name} stroke />
          <Bin name={name} stroke />
        </div>
      ))}
    </details>
  );
}

/** Make one shape of two, as much of each as there is now. */
function Merge({ shapes }: { shapes: readonly string[] }) {
  return (
    <ShapeWith
      word="Merge"
      title="One shape of two, as much of each as there is now"
      shapes={shapes}
      first={shapes[0]!}
      labels={["Shape to merge", "Shape to merge it with"]}
      hint="with …"
      others={(one) => shapes.filter((name) => name !== one)}
      act={(name, other) => ask({ do: "merge", name, other })}
    />
  );
}

/** Do what a shape does to its bone to another one too. */
function Copy({ shapes }: { shapes: readonly string[] }) {
  return (
    <ShapeWith
      word="Copy"
      title="A shape of its own that does the same to another bone"
      shapes={shapes}
      first={shapes.at(-1)!}
      labels={["Shape to copy", "Bone to copy it to"]}
      hint="to …"
      others={() => state.value?.skeleton.names ?? []}
      act={(shape, joint) => ask({ do: "copy-shape", shape, joint })}
    />
  );
}

/** A shape is chosen, and then with what something is done to it, which is done at once. */
function ShapeWith({
  word,
  title,
  shapes,
  first,
  labels,
  hint,
  others,
  act,
}: {
  word: string;
  title: string;
  shapes: readonly string[];
  first: string; // that is chosen until a hand chooses
  labels: readonly [string, string];
  hint: string;
  others: (one: string) => readonly string[];
  act: (one: string, other: string) => void;
}) {
  const chosen = useSignal("");
  const one = shapes.includes(chosen.value) ? chosen.value : first;
  return (
    <div class="edit merge" title={title}>
      <span class="quiet">{word}</span>
      <select
        aria-label={labels[0]}
        value={one}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
        }}
      >
        <Names all={shapes} />
      </select>
      <select
        aria-label={labels[1]}
        value=""
        onChange={(event) => {
          const other = event.currentTarget.value;
          event.currentTarget.value = "";
          if (other) act(one, other);
        }}
      >
        <option value="">{hint}</option>
        <Names all={others(one)} />
      </select>
    </div>
  );
}

function Names({ all }: { all: readonly string[] }) {
  return (
    <>
      {all.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </>
  );
}

function Use({ name, edits }: { name: string; edits: EditsInfo }) {
  const users = edits.layers.filter(({ keys }) => keys.some(({ use }) => use === name));
  const still = users.length === 1 && users[0]!.keys.length === 1 ? users[0]! : null;
  const draft = `use ${name}`;
  const amount = still?.amount ?? 0;
  return (
    <div class="edit">
      <Name name={name} />
      {users.length === 0 || still ? (
        <AmountField
          bare
          name={draft}
          label="Amount"
          value={amount}
          change={(value, done) => ask({ do: "set-amount", use: name, amount: value, done })}
        />
      ) : (
        <Now name={name} users={users} />
      )}
      <button
        type="button"
        class="button small"
        aria-label={`Key of ${name} at the playhead`}
        title="Key at the playhead"
        onClick={() => addKeyOf(name, users)}
      >
        <Icon name="key" />
      </button>
      <Bin name={name} />
    </div>
  );
}

/** How much there is of it in the frame that is shown. */
function Now({ name, users }: { name: string; users: readonly LayerInfo[] }) {
  const words = useComputed(() => twoFigures(amounts.value[name] ?? 0));
  return (
    <output
      class="quiet keyed"
      aria-label={`Amount of ${name} now`}
      title={`Layers say how much: ${users.map((one) => one.name).join(", ")}`}
    >
      {words}
    </output>
  );
}

/** A key of all of it at the playhead, on the layer that has it or on one of its own. */
function addKeyOf(use: string, users: readonly LayerInfo[]): void {
  const layer = users[0]?.name ?? "";
  layersWanted.value = true;
  ask({ do: "add-key", layer, time: playhead(), use });
}

function Name({ name, stroke = false }: { name: string; stroke?: boolean }) {
  const typing = useSignal(false);
  if (!typing.value)
    return (
      <button
        type="button"
        class="layer-name"
        title={`${name}: click to rename`}
        onClick={() => {
          typing.value = true;
        }}
      >
        {name}
      </button>
    );
  const finish = (typed: string) => {
    typing.value = false;
    const to = typed.trim();
    if (to && to !== name) ask({ do: "rename-edit", name, to, stroke });
  };
  return (
    <input
      type="text"
      aria-label={`New name of ${name}`}
      maxLength={200}
      spellcheck={false}
      defaultValue={name}
      ref={(field) => field?.focus()}
      onBlur={(event) => {
        if (typing.value) finish(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") finish(event.currentTarget.value);
        else if (event.key === "Escape") typing.value = false;
      }}
    />
  );
}

function Bin({ name, stroke = false }: { name: string; stroke?: boolean }) {
  return (
    <button
      type="button"
      class="button small"
      aria-label={`Delete ${name}`}
      title={stroke ? "Delete this stroke" : "Delete it, with the keys that use it"}
      onClick={() => ask({ do: "delete-edit", name, stroke })}
    >
      <Icon name="bin" />
    </button>
  );
}
