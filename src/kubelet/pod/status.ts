import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type {
  ContainerState,
  ContainerStatus,
  LinuxContainerUser,
} from "../../api/core/pod/container-status.ts";
import type { PodCondition, PodStatus } from "../../api/core/pod/status.ts";
import { formatTime } from "../../util/clock.ts";
import type { ContainerUser, ContainerStatus as RuntimeContainer } from "../runtime.ts";
import { restartsAfter } from "./restart-policy.ts";
import { containerSizes, podSizes, resizeConditions } from "./resize-status.ts";
import { type ContainerRole, type Member, membersOf } from "./roles.ts";
import {
  backoffLeft,
  incarnations,
  isEnding,
  isInitDone,
  isInitialized,
  latest,
  type PodView,
  readySandbox,
  sidecarRuns,
  startBackoff,
  willRestart,
  workOn,
} from "./view.ts";

export interface NodeAddresses {
  readonly hostIPs: readonly string[];
  /** The prefix of container IDs, e.g. `native`. */
  readonly runtimeName: string;
}

/** Computes the Pod's status from the runtime's state (kubelet `generateAPIPodStatus`). */
export function podStatus(view: PodView, node: NodeAddresses): PodStatus {
  const { pod, now } = view;
  const { spec, status: old } = pod;
  const members = membersOf(pod);
  const statusesOf = (...roles: readonly ContainerRole[]) =>
    members.filter(({ role }) => roles.includes(role)).map((one) => containerStatus(view, one, node));
  const initContainerStatuses = statusesOf("init", "sidecar");
  const containerStatuses = statusesOf("main");
  const ephemeralContainerStatuses = statusesOf("ephemeral");
  const hasEnded = view.end !== undefined && !isRunning(view);
  const phase = hasEnded ? "Failed" : phaseOf(view, containerStatuses);
  const ips = spec.hostNetwork === true ? node.hostIPs : (readySandbox(view)?.ips ?? []);
  const podIPs = ips.length > 0 ? ips.map((ip) => ({ ip })) : old.podIPs;
  const [hostIP] = node.hostIPs;
  const [podIP] = podIPs ?? [];
  return {
    ...old,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    ...(hasEnded ? { reason: view.end.reason, message: view.end.message } : {}),
    conditions: conditionsOf(view, phase, [...statusesOf("sidecar"), ...containerStatuses]),
    startTime: old.startTime ?? formatTime(now),
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: node.hostIPs.map((ip) => ({ ip })) }),
    ...(podIP === undefined ? {} : { podIP: podIP.ip, podIPs: podIPs ?? [] }),
    containerStatuses,
    ...(initContainerStatuses.length === 0 ? {} : { initContainerStatuses }),
    ...(ephemeralContainerStatuses.length === 0 ? {} : { ephemeralContainerStatuses }),
    ...podSizes(view),
  };
}

/** Reports whether any container runs, or may be starting. */
function isRunning({ sandboxes, work }: PodView): boolean {
  return (
    work.values().some(({ state }) => state === "starting" || state === "aborting") ||
    sandboxes.some(({ containers }) => containers.some(({ state }) => state === "running"))
  );
}

function containerStatus(view: PodView, member: Member, node: NodeAddresses): ContainerStatus {
  const { container, role } = member;
  const all = incarnations(view, container.name);
  const status = all.at(-1);
  const known = status === undefined && isEnding(view) ? knownStatus(view, container.name) : undefined;
  if (known !== undefined) return known;
  const state = stateOf(view, member, status, node);
  const ended = state.waiting !== undefined && status?.state === "exited" ? status : all.at(-2);
  const probes = status === undefined ? undefined : view.probes.get(status.id);
  const running = state.running !== undefined;
  const started = running && (probes?.started ?? false);
  const isReady = started && status?.warmsUp !== true && (probes?.ready ?? false);
  const done = role === "init" && status?.state === "exited" && status.exitCode === 0;
  return {
    name: container.name,
    state,
    lastState: ended?.state === "exited" ? { terminated: terminated(ended, node) } : {},
    ready: role === "main" || role === "sidecar" ? isReady : done,
    restartCount: status?.attempt ?? 0,
    image: status?.image ?? container.image ?? "",
    imageID: status?.imageId ?? "",
    ...(status === undefined ? {} : { containerID: `${node.runtimeName}://${status.id}` }),
    started,
    ...(status !== undefined && role !== "ephemeral" ? containerSizes(view, container, running) : {}),
    ...(status?.user !== undefined && { user: { linux: linuxUser(status.user) } }),
  };
}

function linuxUser({ uid, gid, groups }: ContainerUser): LinuxContainerUser {
  return { uid, gid, supplementalGroups: groups };
}

/**
 * Returns the last reported status of a container that is already removed; without a recorded end, the
 * container is reported as lost.
 */
function knownStatus({ pod }: PodView, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const known = all.find((one) => one.name === name);
  if (known?.state.running === undefined) return known;
  const message = "The container could not be located when the pod was terminated";
  const terminated = { exitCode: 137, reason: "ContainerStatusUnknown", message };
  return { ...known, ready: false, started: false, state: { terminated } };
}

function stateOf(
  view: PodView,
  member: Member,
  status: RuntimeContainer | undefined,
  node: NodeAddresses,
): ContainerState {
  const { container } = member;
  if (status?.state === "running")
    return { running: { startedAt: formatTime(status.startedAt ?? status.createdAt) } };
  const failure = workOn(view, `container/${container.name}`).trouble?.failure;
  if (status?.state === "exited") {
    const ended = { terminated: terminated(status, node) };
    if (!willRestart(view, member, status)) return ended;
    if (failure !== undefined) return { waiting: failure };
    const backoff = startBackoff(view, container.name);
    return backoff !== undefined && backoffLeft(view, backoff) > 0
      ? { waiting: crashLoop(view, container, backoff.delayMs) }
      : ended;
  }
  if (failure !== undefined) return { waiting: failure };
  const hasInit = (view.pod.spec.initContainers ?? []).length > 0;
  return { waiting: { reason: hasInit ? "PodInitializing" : "ContainerCreating" } };
}

function crashLoop({ pod }: PodView, { name }: Container, delayMs: number) {
  const { name: podName, namespace, uid } = pod.metadata;
  const delay =
    delayMs >= 60_000
      ? `${Math.floor(delayMs / 60_000)}m${(delayMs % 60_000) / 1000}s`
      : `${delayMs / 1000}s`;
  return {
    reason: "CrashLoopBackOff",
    message: `back-off ${delay} restarting failed container=${name} pod=${podName}_${namespace}(${uid})`,
  };
}

function terminated(status: RuntimeContainer, node: NodeAddresses) {
  const { exitCode = 137, reason, message, startedAt, finishedAt, id } = status;
  return {
    exitCode,
    reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
    ...(message === undefined ? {} : { message }),
    ...(startedAt === undefined ? {} : { startedAt: formatTime(startedAt) }),
    ...(finishedAt === undefined ? {} : { finishedAt: formatTime(finishedAt) }),
    containerID: `${node.runtimeName}://${id}`,
  };
}

type Phase = NonNullable<PodStatus["phase"]>;

/** kubelet `getPhase`. A terminal phase is never left. */
function phaseOf(view: PodView, statuses: readonly ContainerStatus[]): Phase {
  const { pod } = view;
  const old = pod.status.phase;
  if (old === "Succeeded" || old === "Failed") return old;
  const members = membersOf(pod);
  const failedInit = members.some((one) => {
    const status = latest(view, one.container.name);
    return one.role === "init" && hasFailed(status) && !mayRestart(pod, one, status);
  });
  if (failedInit) return "Failed";
  if (!isInitialized(view)) return "Pending";
  if (
    statuses.some(({ state, lastState }) => state.waiting !== undefined && lastState.terminated === undefined)
  )
    return "Pending";
  if (sidecarRuns(view) || statuses.some(({ state }) => state.running !== undefined)) return "Running";
  // All containers have ended; some of them may wait for their next start.
  const restarts = members.some((one) => {
    const status = latest(view, one.container.name);
    return one.role === "main" && status?.state === "exited" && mayRestart(pod, one, status);
  });
  const waits = statuses.some(({ state }) => state.waiting !== undefined);
  if ((restarts || waits) && pod.metadata.deletionTimestamp === undefined) return "Running";
  return statuses.every(({ state }) => state.terminated?.exitCode === 0) ? "Succeeded" : "Failed";
}

function hasFailed(status: RuntimeContainer | undefined): status is RuntimeContainer {
  return status?.state === "exited" && status.exitCode !== 0;
}

/** Decides by the restart policies alone: a phase does not depend on the Pod's termination. */
function mayRestart({ spec }: Pod, { container, role }: Member, { exitCode }: RuntimeContainer): boolean {
  return restartsAfter(spec, container, { role, exitCode, terminating: false });
}

const resizeTypes: ReadonlySet<string> = new Set(["PodResizePending", "PodResizeInProgress"]);

function conditionsOf(view: PodView, phase: Phase, statuses: readonly ContainerStatus[]): PodCondition[] {
  const { pod, now } = view;
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const ended = phase === "Succeeded" || phase === "Failed";
  const completed =
    phase === "Succeeded" ? { reason: "PodCompleted" } : phase === "Failed" ? { reason: "PodFailed" } : {};
  const notReady = ended
    ? completed
    : { reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
  const containersReady = unready.length === 0 && !ended;
  const closed = closedGates(pod);
  const uninitialized = (pod.spec.initContainers ?? [])
    .filter((one) => !isInitDone(view, one))
    .map(({ name }) => name);
  const initialized = isInitialized(view) || phase === "Succeeded";
  const own = [
    condition("PodReadyToStartContainers", readySandbox(view) !== undefined),
    condition(
      "Initialized",
      initialized,
      phase === "Succeeded"
        ? completed
        : initialized
          ? {}
          : {
              reason: "ContainersNotInitialized",
              message: `containers with incomplete status: [${uninitialized.join(" ")}]`,
            },
    ),
    closed.length === 0 || !containersReady
      ? condition("Ready", containersReady, containersReady ? {} : notReady)
      : condition("Ready", false, {
          reason: "ReadinessGatesNotReady",
          message: closed.join(", "),
        }),
    condition("ContainersReady", containersReady, containersReady ? {} : notReady),
    condition("PodScheduled", true),
  ];
  const disruption = view.end?.disruption;
  if (disruption !== undefined)
    own.push(condition("DisruptionTarget", true, { reason: "TerminationByKubelet", message: disruption }));
  const resizing = resizeConditions(view);
  const isOwn = (type: string) => resizeTypes.has(type) || own.some((one) => one.type === type);
  const others = (pod.status.conditions ?? []).filter(({ type }) => !isOwn(type));
  return [
    ...own.map((one) => withTransitionTime(one, pod.status.conditions ?? [], now)),
    ...others,
    ...resizing,
  ];
}

/** Upstream's words about the readiness gates that are not open. */
function closedGates({ spec, status }: Pod): readonly string[] {
  return (spec.readinessGates ?? []).flatMap(({ conditionType: type }) => {
    const present = status.conditions?.find((one) => one.type === type);
    if (present === undefined)
      return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    if (present.status === "True") return [];
    return [`the status of pod readiness gate "${type}" is not "True", but ${present.status}`];
  });
}

function condition(
  type: string,
  holds: boolean,
  why: { reason?: string; message?: string } = {},
): PodCondition {
  return { type, status: holds ? "True" : "False", ...why };
}

/** Keeps the transition time while the status is unchanged. */
function withTransitionTime(next: PodCondition, present: readonly PodCondition[], now: number): PodCondition {
  const old = present.find(({ type }) => type === next.type);
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : undefined;
  return { ...next, lastTransitionTime: lastTransitionTime ?? formatTime(now) };
}
