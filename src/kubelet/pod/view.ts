import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { SandboxStatus, ContainerStatus as RuntimeContainer } from "../runtime.ts";
import { restartsAfter } from "./restart-policy.ts";
import { isSidecar, type Member } from "./roles.ts";
import { type Backoff, isForgotten, type Subject, untouched, type Work } from "./work-machine.ts";

/** What a container's probes have found so far. */
export interface ProbeResults {
  /** Whether the startup probe has passed; true without one. */
  readonly started: boolean;
  /** Whether the readiness probe passes; true without one. */
  readonly ready: boolean;
  /** Set once the liveness or startup probe has failed for good: the container must be restarted. */
  readonly failed?: string;
}

/** What the worker knows besides the Pod and the runtime. */
export interface Progress {
  /** The subjects that something has happened to. */
  readonly work: ReadonlyMap<Subject, Work>;
  /** By container ID. */
  readonly probes: ReadonlyMap<string, ProbeResults>;
  /** Why the node agent ends the Pod, if it does. */
  readonly evicted?: string | undefined;
  /** The volumes of the evicted Pod are removed. */
  readonly cleared?: boolean;
}

/** Everything that a decision about one Pod rests on: plain values, so that deciding is a pure function. */
export interface PodView extends Progress {
  readonly pod: Pod;
  /** Newest attempt last. */
  readonly sandboxes: readonly SandboxStatus[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The sandbox that containers belong in; undefined when there is none that is ready. */
export function readySandbox({ sandboxes }: Pick<PodView, "sandboxes">): SandboxStatus | undefined {
  const newest = sandboxes.at(-1);
  return newest?.state === "ready" ? newest : undefined;
}

type ByName = ReadonlyMap<string, readonly RuntimeContainer[]>;

/** By what a runtime listed, which never changes: ten thousand containers are not searched for each of them. */
const byNames = new WeakMap<readonly SandboxStatus[], ByName>();

/** All incarnations of a container, oldest first. */
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

/** The container's newest incarnation. */
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

/** The back-off before a container's next start: after its last exit, or else after its last failed start. */
export function startBackoff(view: PodView, name: string): Backoff | undefined {
  const { restarts, trouble } = workOn(view, `container/${name}`);
  const since = latest(view, name)?.finishedAt;
  return since === undefined || restarts === undefined || isForgotten(restarts, view.now)
    ? trouble?.retry
    : { delayMs: restarts.delayMs, since };
}

/** The milliseconds that are left of a back-off. */
export function backoffLeft({ now }: Pick<PodView, "now">, backoff: Backoff | undefined): number {
  return backoff === undefined ? 0 : Math.max(0, backoff.since + backoff.delayMs - now);
}

/** Decides if a container, whose newest run is given, starts again. */
export function willRestart(
  view: Pick<PodView, "pod" | "evicted">,
  { container, role }: Member,
  { exitCode }: RuntimeContainer,
): boolean {
  return restartsAfter(view.pod.spec, container, { role, exitCode, terminating: isEnding(view) });
}

/** Whether an init container has done its part, so that the next may start. */
export function isInitDone(view: PodView, container: Container): boolean {
  const status = latest(view, container.name);
  if (status === undefined) return false;
  if (isSidecar(container))
    return status.state === "running" && (view.probes.get(status.id)?.started ?? false);
  return status.state === "exited" && status.exitCode === 0;
}

export function isInitialized(view: PodView): boolean {
  // Once a main container has been made, the init containers had been done, whatever became of their remains.
  const { containers, initContainers = [] } = view.pod.spec;
  return (
    containers.some(({ name }) => latest(view, name) !== undefined) ||
    initContainers.every((container) => isInitDone(view, container))
  );
}

/** The Pod's end has been decided: it is deleted or evicted, or has failed or succeeded. */
export function isEnding({ pod, evicted }: Pick<PodView, "pod" | "evicted">): boolean {
  const { phase } = pod.status;
  return (
    evicted !== undefined ||
    pod.metadata.deletionTimestamp !== undefined ||
    phase === "Succeeded" ||
    phase === "Failed"
  );
}
