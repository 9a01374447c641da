// Files made beside what plays: what to make, how far each job is, and what it made.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { JobInfo, JobKindInfo } from "../../messages";
import { ask, state, view } from "../../session";
import { jobsOpen } from "../actions";
import { Icon } from "../icons";
import { Popover } from "../layers/popover";

export function JobsButton() {
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    jobsOpen.value = false;
  };
  const running = state.value?.jobs.find((job) => job.state === "running");
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button"
        id="action-jobs"
        aria-label="Export"
        aria-expanded={jobsOpen.value}
        title="Export: bakes, films and comparisons (Ctrl E)"
        onClick={() => {
          jobsOpen.value = !jobsOpen.value;
        }}
      >
        <Icon name="export" />
        {running && <span class="quiet">{percent(running)}</span>}
      </button>
      {jobsOpen.value && (
        <Popover
          label="Export"
          anchor={() => button.current}
          over={() => document.querySelector(".panel")}
          close={close}
        >
          <Sheet close={close} />
        </Popover>
      )}
    </>
  );
}

function percent({ done, total }: JobInfo): string {
  return total > 0 ? `${Math.floor((100 * done) / total)} %` : "…";
}

function Sheet({ close }: { close: () => void }) {
  const jobs = state.value?.jobs ?? [];
  return (
    <div class="jobs">
      <div class="sheet-head">
        <h2>Export</h2>
        <button type="button" class="button small" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <NewJob kinds={state.value?.job_kinds ?? []} />
      {jobs.length > 0 && (
        <ul aria-label="Jobs">
          {[...jobs].reverse().map((job) => (
            <OneJob key={job.number} job={job} />
          ))}
        </ul>
      )}
    </div>
  );
}

function NewJob({ kinds }: { kinds: readonly JobKindInfo[] }) {
  const chosen = useSignal("bake");
  const suffix = useSignal("");
  const kind = kinds.find((one) => one.kind === chosen.value) ?? kinds[0];
  if (!kind) return null;
  const format = kind.suffixes.includes(suffix.value) ? suffix.value : kind.suffixes[0]!;
  const start = (event: Event) => {
    event.preventDefault();
    ask({ do: "start-job", kind: kind.kind, suffix: format, view: view.value?.view ?? 0 });
  };
  return (
    <form class="new-job" onSubmit={start}>
      <select
        aria-label="What to make"
        value={kind.kind}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
        }}
      >
        {kinds.map((one) => (
          <option key={one.kind} value={one.kind}>
            {one.label}
          </option>
        ))}
      </select>
      <select
        aria-label="Format"
        value={format}
        onChange={(event) => {
          suffix.value = event.currentTarget.value;
        }}
      >
        {kind.suffixes.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <button type="submit" class="button main">
        Start
      </button>
    </form>
  );
}

function OneJob({ job }: { job: JobInfo }) {
  const { number, name, state: how } = job;
  return (
    <li class="job" data-state={how}>
      <div class="job-head">
        {how === "done" ? (
          <a href={`/result/${number}`} download={name}>
            {name}
          </a>
        ) : (
          <b>{name}</b>
        )}
        <span class="job-do">
          {(how === "running" || how === "waiting") && <Do name="Cancel" job={number} action="cancel-job" />}
          {(how === "cancelled" || how === "failed") && <Do name="Go on" job={number} action="resume-job" />}
          {how !== "running" && how !== "waiting" && <Do name="Remove" job={number} action="forget-job" />}
        </span>
      </div>
      {how === "running" && (
        <progress aria-label={name} max={job.total || undefined} value={job.total ? job.done : undefined} />
      )}
      <p class="quiet">{said(job)}</p>
      {how === "failed" && <p class="quiet">{job.words}</p>}
    </li>
  );
}

function said({ state: how, what, done, total, size }: JobInfo): string {
  if (how === "running") return total ? `${what} ${done} of ${total}` : "starting …";
  if (how === "done" && size !== null) return `${(size / 1e6).toFixed(size < 1e6 ? 2 : 1)} MB`;
  return how;
}

function Do({
  name,
  job,
  action,
}: {
  name: string;
  job: number;
  action: "cancel-job" | "resume-job" | "forget-job";
}) {
  return (
    <button type="button" class="button" onClick={() => ask({ do: action, job })}>
      {name}
    </button>
  );
}
