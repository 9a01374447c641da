// What was refused, in the four parts of an error, and what is worth knowing; both go by themselves.
import { useEffect } from "preact/hooks";
import { dismissToast, type Toast, toasts } from "../session";
import { Icon } from "./icons";
import { sentence } from "./words";

const STAYS = 12_000; // [ms]

export function Toasts() {
  return (
    <div class="toasts" role="region" aria-label="Messages" aria-live="polite">
      {toasts.value.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function OneToast({ toast }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismissToast(toast.id), STAYS);
    return () => clearTimeout(timer);
  }, [toast.id, toast.times]);
  return (
    <div
      class={`toast ${"refused" in toast ? "refused" : ""}`}
      role={"refused" in toast ? "alert" : "status"}
    >
      {"refused" in toast ? <Refusal toast={toast} /> : <p>{toast.text}</p>}
      <button type="button" class="button small" aria-label="Dismiss" onClick={() => dismissToast(toast.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function Refusal({ toast }: { toast: Extract<Toast, { refused: unknown }> }) {
  const { where, given, needed, advice } = toast.refused;
  return (
    <div>
      <p class="where">
        {where}
        {toast.times > 1 && <span class="quiet"> × {toast.times}</span>}
      </p>
      <p>{sentence(given)}</p>
      {needed && <p class="quiet">{sentence(needed)}</p>}
      {advice && <p class="advice">{sentence(advice)}</p>}
    </div>
  );
}
