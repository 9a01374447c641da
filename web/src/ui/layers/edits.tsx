// What was drawn, by name: how much of it there is, keys, other names, and away with it.
import { useComputed, useSignal } from "@preact/signals";
import { amounts } from "../../amounts";
import type { EditsInfo, LayerInfo } from "../../messages";
import { ask, state } from "../../session";
import { Icon } from "../icons";
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
  const first = useSignal("");
  const one = shapes.includes(first.value) ? first.value : shapes[0]!;
  return (
    <div class="edit merge" title="One shape of two, as much of each as there is now">
      <span class="quiet">Merge</span>
      <select
        aria-label="Shape to merge"
        value={one}
        onChange={(event) => {
          first.value = event.currentTarget.value;
        }}
      >
        {shapes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Shape to merge it with"
        value=""
        onChange={(event) => {
          const other = event.currentTarget.value;
          event.currentTarget.value = "";
          if (other) ask({ do: "merge", name: one, other });
        }}
      >
        <option value="">with …</option>
        {shapes
          .filter((name) => name !== one)
          .map((name) => (
            <option key={name}>{name}</option>
          ))}
      </select>
    </div>
  );
}

/** Do what a shape does to its bone to another one too. */
function Copy({ shapes }: { shapes: readonly string[] }) {
  const first = useSignal("");
  const one = shapes.includes(first.value) ? first.value : shapes.at(-1)!;
  const joints = state.value?.skeleton.names ?? [];
  return (
    <div class="edit merge" title="A shape of its own that does the same to another bone">
      <span class="quiet">Copy</span>
      <select
        aria-label="Shape to copy"
        value={one}
        onChange={(event) => {
          first.value = event.currentTarget.value;
        }}
      >
        {shapes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Bone to copy it to"
        value=""
        onChange={(event) => {
          const joint = event.currentTarget.value;
          event.currentTarget.value = "";
          if (joint) ask({ do: "copy-shape", shape: one, joint });
        }}
      >
        <option value="">to …</option>
        {joints.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
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
  const words = useComputed(() => (amounts.value[name] ?? 0).toFixed(2));
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
