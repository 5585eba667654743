import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, ago, column, nameColumn, orNone, wide } from "../../printing.ts";
import type { Container } from "./container.ts";
import type { ContainerState, ContainerStatus } from "./container-status.ts";
import type { Pod } from "./schema.ts";
import { findCondition, isConditionTrue } from "../../../meta/conditions.ts";

/** The columns of a Pod in `kubectl get`. */
interface Summary {
  readonly ready: number;
  /** The number of main containers and sidecars. */
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** The time when the last restarted container had terminated. */
  readonly lastRestart: string | undefined;
}

/** Counts over all container statuses. */
interface Tally {
  restarts: number;
  lastRestart: string | undefined;
  ready: number;
}

const isSidecar = (container: Container | undefined): boolean => container?.restartPolicy === "Always";

function addRestarts(tally: Tally, { restartCount, lastState }: ContainerStatus): void {
  tally.restarts += restartCount;
  const ended = lastState.terminated?.finishedAt;
  // RFC 3339 times in UTC sort by time.
  if (ended !== undefined && ended > (tally.lastRestart ?? "")) tally.lastRestart = ended;
}

/** The reason of a container's termination, in one word. */
function endReason({ reason, signal, exitCode }: NonNullable<ContainerState["terminated"]>): string {
  if (reason !== undefined) return reason;
  return signal === undefined ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

/** The state of an init container that blocks the Pod; undefined if it does not block the Pod. */
function initHold(
  { state, started }: ContainerStatus,
  index: number,
  container: Container | undefined,
  pod: Pod,
): string | undefined {
  const { terminated, waiting } = state;
  if (terminated?.exitCode === 0) return undefined;
  if (isSidecar(container) && started === true) return undefined;
  if (terminated !== undefined) return `Init:${endReason(terminated)}`;
  if (waiting?.reason !== undefined && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
  return `Init:${index}/${pod.spec.initContainers?.length ?? 0}`;
}

/** Counts the init containers up to the first one that blocks the Pod. Returns that container's state. */
function walkInit(pod: Pod, all: Tally, sidecars: Tally): string | undefined {
  const byName = new Map(pod.spec.initContainers?.map((one) => [one.name, one]));
  for (const [i, status] of (pod.status.initContainerStatuses ?? []).entries()) {
    const container = byName.get(status.name);
    const sidecar = isSidecar(container);
    addRestarts(all, status);
    if (sidecar) addRestarts(sidecars, status);
    const hold = initHold(status, i, container, pod);
    if (hold !== undefined) return hold;
    const completed = status.state.terminated?.exitCode === 0;
    if (sidecar && !completed && status.ready) sidecars.ready += 1;
  }
  return undefined;
}

/**
 * Counts the main containers. Visits them in reverse order, because the first container's problem is shown.
 */
function walkMain(pod: Pod, tally: Tally, initial: string): string {
  let status = initial;
  let failure: string | undefined;
  let running = false;
  for (const one of (pod.status.containerStatuses ?? []).toReversed()) {
    addRestarts(tally, one);
    const { waiting, terminated } = one.state;
    if (waiting?.reason !== undefined) status = waiting.reason;
    else if (terminated !== undefined) {
      status = endReason(terminated);
      if (terminated.exitCode !== 0) failure = status;
    } else if (one.ready && one.state.running !== undefined) {
      running = true;
      tally.ready += 1;
    }
  }
  if (status !== "Completed") return status;
  if (running && isConditionTrue(pod.status.conditions, "Ready")) return "Running";
  return failure ?? (running ? "NotReady" : status);
}

function summarize(pod: Pod): Summary {
  const { spec, status, metadata } = pod;
  const gated = findCondition(status.conditions, "PodScheduled")?.reason === "SchedulingGated";
  let text = gated ? "SchedulingGated" : (status.reason ?? status.phase ?? "");
  const all: Tally = { restarts: 0, lastRestart: undefined, ready: 0 };
  const sidecars: Tally = { ...all };
  const hold = walkInit(pod, all, sidecars);
  let tally: Tally = { ...all, ready: sidecars.ready };
  if (hold !== undefined) text = hold;
  if (hold === undefined || isConditionTrue(pod.status.conditions, "Initialized")) {
    // Restarts of completed init containers no longer count.
    tally = sidecars;
    text = walkMain(pod, tally, text);
  }
  if (metadata.deletionTimestamp !== undefined) {
    const ended = status.phase === "Succeeded" || status.phase === "Failed";
    if (status.reason === "NodeLost") text = "Unknown";
    else if (!ended) text = "Terminating";
  }
  const total = spec.containers.length + (spec.initContainers?.filter(isSidecar).length ?? 0);
  return {
    ready: tally.ready,
    total,
    status: text,
    restarts: tally.restarts,
    lastRestart: tally.lastRestart,
  };
}

/** Caches the summary of each Pod, because three columns use it. Pods are immutable. */
const summaries = new WeakMap<Pod, Summary>();

function summaryOf(pod: Pod): Summary {
  let summary = summaries.get(pod);
  if (summary === undefined) {
    summary = summarize(pod);
    summaries.set(pod, summary);
  }
  return summary;
}

function restartsText({ restarts, lastRestart }: Summary, now: number): string {
  return restarts === 0 || lastRestart === undefined
    ? String(restarts)
    : `${restarts} (${ago(lastRestart, now)} ago)`;
}

function gatesText({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => isConditionTrue(status.conditions, conditionType));
  return `${open.length}/${gates.length}`;
}

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  column("Ready", "The number of ready containers, and of all containers.", (pod) => {
    const { ready, total } = summaryOf(pod);
    return `${ready}/${total}`;
  }),
  column("Status", "The state of the Pod, in one word.", (pod) => summaryOf(pod).status),
  column("Restarts", "The number of restarts, and the time of the last one.", (pod, now) =>
    restartsText(summaryOf(pod), now),
  ),
  ageColumn,
  wide(column("IP", "The Pod's primary IP address.", ({ status }) => orNone(status.podIPs?.[0]?.ip))),
  wide(column("Node", "The node that the Pod is on.", ({ spec }) => orNone(spec.nodeName))),
  wide(
    column("Nominated Node", "The node where Pods are preempted for this Pod.", ({ status }) =>
      orNone(status.nominatedNodeName),
    ),
  ),
  wide(
    column("Readiness Gates", "The number of readiness gates that are true, and of all gates.", gatesText),
  ),
];
