import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { SandboxStatus, ContainerStatus as RuntimeContainer } from "../runtime.ts";
import { restartsAfter } from "./restart-policy.ts";
import type { ResizeState } from "../allocation/allocations.ts";
import { isSidecar, type Member } from "./roles.ts";
import { type Backoff, isForgotten, type Subject, untouched, type Work } from "./work-machine.ts";

/** The results of a container's probes so far. */
export interface ProbeResults {
  /** True once the startup probe has passed, and without one. */
  readonly started: boolean;
  /** True while the readiness probe passes, and without one. */
  readonly ready: boolean;
  /**
   * Set once the liveness or startup probe has reached its failure threshold: the container must be
   * restarted.
   */
  readonly failed?: "failed liveness probe" | "failed startup probe";
}

/** The worker's knowledge besides the Pod and the runtime's list. */
export interface Progress {
  /** The subjects on which operations were started. */
  readonly work: ReadonlyMap<Subject, Work>;
  /** By container ID. */
  readonly probes: ReadonlyMap<string, ProbeResults>;
  /** The reason for which the node agent ends the Pod; undefined unless it does. */
  readonly end?: PodEnd | undefined;
  /** True once the volumes of the ended Pod are removed. */
  readonly cleared?: boolean;
  /** The state of the Pod's resize; undefined without one. */
  readonly resize?: ResizeState | undefined;
  /** The IDs of containers that were stopped so that they start with other sizes. */
  readonly restarting?: ReadonlySet<string>;
}

/** The end of a Pod by the node agent, as the Pod's status shows it. */
export interface PodEnd {
  /** e.g. `Evicted`. */
  readonly reason: string;
  readonly message: string;
  /** Milliseconds from a container's stop signal to the kill. Undefined: the Pod's own. */
  readonly graceMs?: number | undefined;
  /** The message of the condition DisruptionTarget; absent for an end that the Pod itself caused. */
  readonly disruption?: string | undefined;
}

/** The input of every decision about one Pod: plain values, so that decisions are pure functions. */
export interface PodView extends Progress {
  readonly pod: Pod;
  /** Newest attempt last. */
  readonly sandboxes: readonly SandboxStatus[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the newest sandbox if it is ready; containers start only there. */
export function readySandbox({ sandboxes }: Pick<PodView, "sandboxes">): SandboxStatus | undefined {
  const newest = sandboxes.at(-1);
  return newest?.state === "ready" ? newest : undefined;
}

type ByName = ReadonlyMap<string, readonly RuntimeContainer[]>;

/**
 * By the runtime's list, which never changes, so that ten thousand containers are not searched for each one.
 */
const byNames = new WeakMap<readonly SandboxStatus[], ByName>();

/** Returns all incarnations of a container, oldest first. */
export function incarnations(
  { sandboxes }: Pick<PodView, "sandboxes">,
  name: string,
): readonly RuntimeContainer[] {
  let known = byNames.get(sandboxes);
  if (known === undefined) byNames.set(sandboxes, (known = byNameOf(sandboxes)));
  return known.get(name) ?? [];
}

function byNameOf(sandboxes: readonly SandboxStatus[]): ByName {
  const containers = sandboxes
    .flatMap(({ containers }) => containers)
    .sort((a, b) => a.attempt - b.attempt || a.createdAt - b.createdAt);
  return Map.groupBy(containers, ({ name }) => name);
}

/** Returns the container's newest incarnation. */
export function latest(view: Pick<PodView, "sandboxes">, name: string): RuntimeContainer | undefined {
  return incarnations(view, name).at(-1);
}

export function workOn({ work }: Pick<PodView, "work">, subject: Subject): Work {
  return work.get(subject) ?? untouched;
}

export function isStopping(view: Pick<PodView, "work">, subject: Subject): boolean {
  const { state } = workOn(view, subject);
  return state === "stopping" || state === "aborting";
}

/**
 * Returns the back-off before a container's next start: after its last exit, or else after its last failed
 * start.
 */
export function startBackoff(view: PodView, name: string): Backoff | undefined {
  const { restarts, trouble } = workOn(view, `container/${name}`);
  const since = latest(view, name)?.finishedAt;
  return since === undefined || restarts === undefined || isForgotten(restarts, view.now)
    ? trouble?.retry
    : { delayMs: restarts.delayMs, since };
}

/** Returns the remaining milliseconds of a back-off. */
export function backoffLeft({ now }: Pick<PodView, "now">, backoff: Backoff | undefined): number {
  return backoff === undefined ? 0 : Math.max(0, backoff.since + backoff.delayMs - now);
}

/** Decides if a container, whose newest run is given, starts again. */
export function willRestart(
  view: Pick<PodView, "pod" | "end" | "sandboxes" | "restarting">,
  { container, role }: Member,
  { id, exitCode }: RuntimeContainer,
): boolean {
  const terminating = isEnding(view) || (role === "sidecar" && isFinished(view));
  if (!terminating && view.restarting?.has(id) === true) return true;
  return restartsAfter(view.pod.spec, container, { role, exitCode, terminating });
}

type Finishable = Pick<PodView, "pod" | "sandboxes" | "restarting">;

/** The last answer about a list of the runtime: it is asked for each of ten thousand sidecars. */
const finished = new WeakMap<
  readonly SandboxStatus[],
  { readonly spec: Pod["spec"]; readonly all: boolean }
>();

/** The main containers have all ended for good: sidecars do not keep a Pod running (KEP-753). */
export function isFinished(view: Finishable): boolean {
  const { spec } = view.pod;
  const known = finished.get(view.sandboxes);
  if (known?.spec === spec) return known.all;
  const all = spec.containers.every((container) => hasEndedForGood(view, container));
  finished.set(view.sandboxes, { spec, all });
  return all;
}

function hasEndedForGood(view: Finishable, container: Container): boolean {
  const status = latest(view, container.name);
  if (status?.state !== "exited" || view.restarting?.has(status.id) === true) return false;
  const exit = { role: "main", exitCode: status.exitCode, terminating: false } as const;
  return !restartsAfter(view.pod.spec, container, exit);
}

export function sidecarRuns(view: Pick<PodView, "pod" | "sandboxes">): boolean {
  const { initContainers = [] } = view.pod.spec;
  return initContainers.some((one) => isSidecar(one) && latest(view, one.name)?.state === "running");
}

/** Reports whether an init container is done, so that the next may start. */
export function isInitDone(view: PodView, container: Container): boolean {
  const status = latest(view, container.name);
  if (status === undefined) return false;
  if (isSidecar(container))
    return status.state === "running" && (view.probes.get(status.id)?.started ?? false);
  return status.state === "exited" && status.exitCode === 0;
}

export function isInitialized(view: PodView): boolean {
  // An existing main container proves that all init containers were done, even when their incarnations are
  // removed.
  const { containers, initContainers = [] } = view.pod.spec;
  return (
    containers.some(({ name }) => latest(view, name) !== undefined) ||
    initContainers.every((container) => isInitDone(view, container))
  );
}

/** Reports whether the Pod is ending: it is deleted or ended by the node agent, or has failed or succeeded. */
export function isEnding({ pod, end }: Pick<PodView, "pod" | "end">): boolean {
  const { phase } = pod.status;
  return (
    end !== undefined ||
    pod.metadata.deletionTimestamp !== undefined ||
    phase === "Succeeded" ||
    phase === "Failed"
  );
}
