import type { Container } from "../../api/core/pod/container.ts";
import type { Probe } from "../../api/core/pod/probe.ts";
import type { ContainerStatus as RuntimeContainer, SandboxStatus } from "../runtime.ts";
import { planResize, type ResizeChanges } from "./resize-plan.ts";
import { isSidecar, type Member, membersOf } from "./roles.ts";
import {
  backoffLeft,
  incarnations,
  isEnding,
  isFinished,
  isInitDone,
  isInitialized,
  isStopping,
  latest,
  type PodView,
  readySandbox,
  sidecarRuns,
  startBackoff,
  willRestart,
  workOn,
} from "./view.ts";

/** An action of the worker. Actions of one plan are independent of each other. */
export type Action =
  | { readonly type: "createSandbox"; readonly attempt: number }
  | { readonly type: "stopSandbox"; readonly id: string }
  | { readonly type: "removeSandbox"; readonly id: string }
  | {
      readonly type: "startContainer";
      readonly sandbox: SandboxStatus;
      readonly container: Container;
      readonly attempt: number;
    }
  | {
      readonly type: "stopContainer";
      readonly id: string;
      readonly name: string;
      readonly container: Container | undefined;
      readonly graceMs: number;
      /** The Event's text, unless the Pod ends. */
      readonly why: string;
      /** Set when it stops in order to start with other sizes. */
      readonly forResize?: true;
    }
  /** Changes the sizes of running containers in place. */
  | { readonly type: "resize"; readonly sandbox: SandboxStatus; readonly changes: ResizeChanges }
  | { readonly type: "removeContainer"; readonly id: string; readonly logPath: string }
  /** Frees the disk space of an evicted Pod, and the claims of one that has ended. */
  | { readonly type: "removeVolumes" }
  /** Every part of the deleted Pod has ended: the worker deletes it from the API. */
  | { readonly type: "finishDeletion" };

export interface Plan {
  readonly actions: readonly Action[];
  /** Milliseconds until the next sync if no event comes first; undefined for none. */
  readonly againMs: number | undefined;
}

/**
 * Plans a Pod's next actions. The table test covers these invariants:
 * 1. No container starts outside the newest ready sandbox.
 * 2. No container starts while another of the same name runs, or has an operation in progress
 * (`work-machine.ts`).
 * 3. Main containers start after all init containers are done; init containers start one after the other.
 * 4. A Pod that is ending starts nothing, and stops everything: containers first, the sandbox last.
 * 5. A deleted Pod is removed from the API only when nothing of it runs.
 */
export function planPod(view: PodView): Plan {
  const onlySidecars = isFinished(view) && sidecarRuns(view);
  return isEnding(view) || onlySidecars ? planEnd(view) : planRun(view);
}

/** Reports whether the Pod makes its first starts, and none of them has failed and nothing has ended yet. */
export function isStarting(view: PodView, actions: readonly Action[]): boolean {
  const work = [...view.work.values()];
  const starts =
    actions.some(({ type }) => type === "createSandbox" || type === "startContainer") ||
    work.some(({ state }) => state === "starting");
  return (
    starts &&
    !isEnding(view) &&
    work.every(({ trouble }) => trouble === undefined) &&
    view.sandboxes.every(({ containers }) => containers.every(({ state }) => state !== "exited"))
  );
}

/** The newest exited incarnation is kept for its log and its last state. */
const deadToKeep = 1;

function planRun(view: PodView): Plan {
  const sandbox = readySandbox(view);
  const actions: Action[] = view.sandboxes
    .filter((one) => one !== sandbox)
    .flatMap((old) => clearOld(view, old));
  if (sandbox === undefined) {
    const newest = view.sandboxes.at(-1);
    if (needsSandbox(view) && workOn(view, "sandbox").state === "idle") {
      const wait = backoffLeft(view, workOn(view, "sandbox").trouble?.retry);
      if (wait > 0) return { actions, againMs: wait };
      actions.push({ type: "createSandbox", attempt: newest === undefined ? 0 : newest.attempt + 1 });
    }
    return { actions, againMs: undefined };
  }
  const starts = planStarts(view, sandbox);
  const resize = planSizes(view, sandbox);
  const waits = [starts.againMs, resize.againMs].filter((ms) => ms !== undefined);
  return {
    actions: [...actions, ...planRestarts(view), ...resize.actions, ...planSweep(view), ...starts.actions],
    againMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Reports whether a container must still start: a Pod without one needs no new sandbox after a reboot. */
function needsSandbox(view: PodView): boolean {
  return view.pod.spec.containers.some((container) => {
    const status = latest(view, container.name);
    return status === undefined || willRestart(view, { container, role: "main" }, status);
  });
}

/** Stops a sandbox that is no longer ready, once. Its exited containers stay for their status. */
function clearOld(view: PodView, { id, containers }: SandboxStatus): Action[] {
  const alive = containers.some(({ state }) => state === "running");
  return alive && !isStopping(view, `sandbox/${id}`) ? [{ type: "stopSandbox", id }] : [];
}

function planStarts(
  view: PodView,
  sandbox: SandboxStatus,
): { actions: Action[]; againMs: number | undefined } {
  const waits: number[] = [];
  const actions: Action[] = [];
  for (const member of startable(view)) {
    const { container } = member;
    if (workOn(view, `container/${container.name}`).state !== "idle") continue;
    const status = latest(view, container.name);
    if (status?.state === "running" || status?.state === "created") continue;
    if (status?.state === "exited" && !willRestart(view, member, status)) continue;
    const wait = backoffLeft(view, startBackoff(view, container.name));
    if (wait > 0) waits.push(wait);
    else
      actions.push({
        type: "startContainer",
        sandbox,
        container,
        attempt: status === undefined ? 0 : status.attempt + 1,
      });
  }
  return { actions, againMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

/** Returns the containers that may run now. */
function startable(view: PodView): readonly Member[] {
  const members = membersOf(view.pod);
  if (isInitialized(view)) return members.filter(({ role }) => role !== "init");
  // A sidecar that has ended is not done any more: it is the next to start.
  const turn = members.find(({ container }) => !isInitDone(view, container));
  return members.filter((one) => one === turn || one.role === "ephemeral");
}

/** Restarts running containers whose liveness or startup probe failed. */
function planRestarts(view: PodView): Action[] {
  const { initContainers = [], containers } = view.pod.spec;
  return [...initContainers, ...containers].flatMap((container): Action[] => {
    const status = latest(view, container.name);
    const failed = status === undefined ? undefined : view.probes.get(status.id)?.failed;
    if (
      status?.state !== "running" ||
      failed === undefined ||
      isStopping(view, `container/${container.name}`)
    )
      return [];
    return [
      {
        type: "stopContainer",
        id: status.id,
        name: container.name,
        container,
        graceMs: graceMs(
          view,
          failed === "failed startup probe" ? container.startupProbe : container.livenessProbe,
        ),
        why: `Container ${container.name} ${failed}, will be restarted`,
      },
    ];
  });
}

/** Applies the accepted sizes: in place, or by a restart where the container's policy asks for one. */
function planSizes(view: PodView, sandbox: SandboxStatus): Plan {
  const { restarts, changes } = planResize(view);
  const stops = restarts
    .filter(({ container }) => !isStopping(view, `container/${container.name}`))
    .map(({ container, status: { id } }): Action => {
      const { name } = container;
      const why = `Container ${name} resize requires restart`;
      const rest = { container, graceMs: graceMs(view, undefined), why, forResize: true } as const;
      return { type: "stopContainer", id, name, ...rest };
    });
  if (changes === undefined || workOn(view, "resize").state !== "idle")
    return { actions: stops, againMs: undefined };
  const wait = backoffLeft(view, workOn(view, "resize").trouble?.retry);
  return wait > 0
    ? { actions: stops, againMs: wait }
    : { actions: [...stops, { type: "resize", sandbox, changes }], againMs: undefined };
}

/** Removes exited incarnations, except the newest. */
function planSweep(view: PodView): Action[] {
  const names = new Set(view.sandboxes.flatMap(({ containers }) => containers.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const dead = incarnations(view, name).filter(({ state }) => state === "exited");
    const last = latest(view, name);
    const surplus = dead.slice(0, Math.max(0, dead.length - deadToKeep - Number(last?.state === "exited")));
    return surplus
      .filter(({ id }) => workOn(view, `remains/${id}`).state === "idle")
      .map(({ id, logPath }): Action => ({ type: "removeContainer", id, logPath }));
  });
}

/**
 * Stops main containers together, sidecars after them in reverse order, then the sandbox, and then removes
 * the Pod from the API.
 */
function planEnd(view: PodView): Plan {
  const { pod, sandboxes } = view;
  const running = sandboxes
    .flatMap(({ containers }) => containers)
    .filter(({ state }) => state === "running");
  if (running.length > 0) {
    const sidecars = new Map(
      (pod.spec.initContainers ?? []).filter(isSidecar).map((one, index) => [one.name, index]),
    );
    const rank = ({ name }: RuntimeContainer) => sidecars.get(name) ?? Number.POSITIVE_INFINITY;
    const last = Math.max(...running.map(rank));
    const actions = running
      .filter((one) => rank(one) === last && !isStopping(view, `container/${one.name}`))
      .map(({ id, name }): Action => {
        const container = containerOf(view, name);
        return { type: "stopContainer", id, name, container, graceMs: graceMs(view, undefined), why: "" };
      });
    return { actions, againMs: undefined };
  }
  if (view.work.values().some(({ state }) => state !== "idle")) return { actions: [], againMs: undefined };
  const ready = sandboxes.filter(({ state }) => state === "ready");
  if (ready.length > 0)
    return { actions: ready.map(({ id }) => ({ type: "stopSandbox", id })), againMs: undefined };
  if (pod.metadata.deletionTimestamp === undefined) {
    const takes = (view.end !== undefined || hasSharedVolumes(view)) && view.cleared !== true;
    return { actions: takes ? [{ type: "removeVolumes" }] : [], againMs: undefined };
  }
  const remains = sandboxes.map(({ id }): Action => ({ type: "removeSandbox", id }));
  if (remains.length > 0) return { actions: remains, againMs: undefined };
  // With a grace period of 0, only finalizers keep the Pod: another delete would change nothing.
  if (pod.metadata.deletionGracePeriodSeconds === 0) return { actions: [], againMs: undefined };
  const wait = backoffLeft(view, workOn(view, "deletion").trouble?.retry);
  return wait > 0
    ? { actions: [], againMs: wait }
    : { actions: [{ type: "finishDeletion" }], againMs: undefined };
}

/** Reports whether the Pod has volumes that other Pods or nodes may wait for. */
function hasSharedVolumes({ pod }: PodView): boolean {
  return (pod.spec.volumes ?? []).some(
    (one) => (one.persistentVolumeClaim ?? one.ephemeral ?? one.csi) !== undefined,
  );
}

function containerOf({ pod }: PodView, name: string): Container | undefined {
  return membersOf(pod).find(({ container }) => container.name === name)?.container;
}

/** Returns the time from a container's stop signal to the kill. `probe` failed, if that is why it stops. */
function graceMs({ pod, now, end }: PodView, probe: Probe | undefined): number {
  if (end?.graceMs !== undefined) return end.graceMs;
  const probeGrace = probe?.terminationGracePeriodSeconds;
  if (probeGrace !== undefined) return probeGrace * 1000;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) {
    return (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  }
  // After a restart of the agent the rest of the grace period remains, and at least 0.
  return Math.max(Math.min(Date.parse(deletionTimestamp) - now, deletionGracePeriodSeconds * 1000), 0);
}
