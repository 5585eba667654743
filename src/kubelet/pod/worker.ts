import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { RuntimeError, type SandboxStatus } from "../runtime.ts";
import type { NodeContext } from "../node-context.ts";
import { deadlineExceeded, deadlineInMs } from "./deadline.ts";
import { createSandbox, killContainer, launchContainer } from "./operations.ts";
import { type Action, isStarting, planPod } from "./plan.ts";
import { podStatus } from "./status.ts";
import { removeLogs } from "../logs/remove-logs.ts";
import { resizePod } from "./resize.ts";
import { isEnding, type PodEnd, type PodView } from "./view.ts";
import {
  type Failure,
  stepWork,
  type Subject,
  untouched,
  type Work,
  type WorkEvent,
} from "./work-machine.ts";
import { errorText } from "../../util/error-text.ts";

/** Starting this many actions takes about ten milliseconds; then the event loop has a turn. */
const startedAtOnce = 256;

/**
 * Each step of a sync of more containers takes some milliseconds; the event loop has a turn between the
 * steps.
 */
const manyContainers = 1000;

/**
 * Milliseconds for which a report waits for the starts in progress. Most starts take less, and their end changes
 * the status again; upstream's kubelet reports before and after all starts of a sync.
 */
const reportDelayMs = 100;

/**
 * Runs one Pod on this node. `sync` observes, decides and returns at once. Long operations run beside it and
 * request another sync when they end, so that no pull delays a deletion.
 */
export class PodWorker {
  readonly #node: NodeContext;
  readonly #again: () => void;
  readonly #work = new Map<Subject, Work>();
  /** The Pod that the last `sync` saw. */
  #seen: Pod | undefined;
  #end: PodEnd | undefined;
  /** The containers that were stopped so that they start with other sizes. */
  readonly #restarting = new Set<string>();
  #cleared = false;
  /** Fires when the Pod ends, for starts that wait for volumes. */
  readonly #ending = new AbortController();
  #volumesDue = false;
  /** The time since which a report waits for starts, by the monotonic clock. */
  #reportDueSince: number | undefined;
  /** The runtime's list at the last `sync` of `#seen`, if there was nothing to do and nothing to wait for. */
  #settledOn: readonly SandboxStatus[] | undefined;
  /** The number of syncs that were requested: a request during a sync counts for the next one. */
  #requests = 0;

  /** `again` requests another `sync`. */
  constructor(node: NodeContext, again: () => void) {
    this.#node = node;
    this.#again = () => {
      this.#settledOn = undefined;
      this.#requests++;
      again();
    };
  }

  /** Reports whether a sync would do nothing. Whatever is not compared here requests a sync itself. */
  isSettled(pod: Pod, sandboxes: readonly SandboxStatus[]): boolean {
    return this.#seen === pod && this.#settledOn === sandboxes && !this.#volumesDue;
  }

  /** Brings the Pod one step further. Returns the milliseconds until the next sync, if one is needed. */
  async sync(pod: Pod, sandboxes: readonly SandboxStatus[]): Promise<number | undefined> {
    if (this.isSettled(pod, sandboxes)) return undefined;
    const requests = this.#requests;
    this.#settledOn = undefined;
    const isLarge = pod.spec.containers.length > manyContainers;
    this.#forgetConfigErrors(pod);
    if (isLarge) await yieldToSockets();
    // First, because a container without probes is ready as soon as it runs.
    this.#node.probes.follow(pod, sandboxes, this.#again);
    const deadlineMs = this.#meetDeadline(pod);
    const view = this.#view(pod, sandboxes);
    if (isEnding(view)) this.#ending.abort();
    this.#refreshVolumes(view);
    if (isLarge) await yieldToSockets();
    const { actions, againMs: planMs } = planPod(view);
    const waits = [planMs, deadlineMs].filter((ms) => ms !== undefined);
    const againMs = waits.length === 0 ? undefined : Math.min(...waits);
    if (isLarge) await yieldToSockets();
    const reportInMs = this.#reportInMs(view, actions);
    const reported = reportInMs === 0 && this.#report(view);
    const work = this.#work.values();
    const isIdle =
      actions.length === 0 && againMs === undefined && work.every(({ state }) => state === "idle");
    const last = (action: Action) => action.type === "finishDeletion"; // It comes after the status, because the Pod has no status afterwards.
    for (const [index, action] of actions.entries()) {
      if (!last(action)) this.#start(action, view);
      if ((index + 1) % startedAtOnce === 0) await yieldToSockets();
    }
    if (!(await reported) && isIdle && requests === this.#requests) this.#settledOn = sandboxes;
    for (const action of actions) if (last(action)) this.#start(action, view);
    return reportInMs > 0 ? Math.min(reportInMs, againMs ?? Infinity) : againMs;
  }

  /** Ends the Pod once its deadline is exceeded. Returns the milliseconds until then, if there is one. */
  #meetDeadline(pod: Pod): number | undefined {
    const leftMs = this.#end === undefined ? deadlineInMs(pod, this.#node.env.clock.now()) : undefined;
    if (leftMs !== 0) return leftMs;
    const { reason, message } = deadlineExceeded;
    this.#end = deadlineExceeded;
    this.#node.events.event(pod, "Normal", reason, message);
    return undefined;
  }

  /** Returns the milliseconds for which the report still waits; 0 if it is due. */
  #reportInMs(view: PodView, actions: readonly Action[]): number {
    const now = this.#node.env.clock.monotonic();
    const isFirst = view.pod.status.startTime === undefined;
    const waits = isStarting(view, actions) && (!isFirst || this.#node.runtime.startsAtOnce === true);
    this.#reportDueSince = waits ? (this.#reportDueSince ?? now) : undefined;
    return this.#reportDueSince === undefined ? 0 : Math.max(this.#reportDueSince + reportDelayMs - now, 0);
  }

  /** Ends the Pod permanently. Returns false if the node agent has ended it already. */
  end(end: PodEnd): boolean {
    if (this.#end !== undefined) return false;
    this.#end = end;
    this.#again();
    return true;
  }

  /** Requests a sync, even if nothing that `isSettled` compares has changed. */
  wake(): void {
    this.#again();
  }

  /** Requests that the next `sync` updates the volumes. */
  volumesDue(): void {
    this.#volumesDue = true;
  }

  /** Frees everything when nothing of the Pod is left on the node. */
  async forget(uid: string): Promise<void> {
    this.#node.probes.forget(uid);
    await this.#node.volumes.remove(this.#node, uid);
  }

  #view(pod: Pod, sandboxes: readonly SandboxStatus[]): PodView {
    const { uid = "" } = pod.metadata;
    const before = this.#node.allocations.resizeOf(uid);
    const isResizing = before.actuated.size > 0 || before.inProgress !== undefined;
    const resize = isResizing ? this.#node.allocations.settle(uid, runningIn(sandboxes)) : before;
    return {
      pod,
      sandboxes,
      now: this.#node.env.clock.now(),
      work: this.#work,
      end: this.#end,
      cleared: this.#cleared,
      resize,
      restarting: this.#restarting,
      probes: this.#node.probes.results(uid),
    };
  }

  /**
   * Updates contents from API objects while containers run; a failure keeps the old contents (kubelet
   * `syncPod`).
   */
  #refreshVolumes(view: PodView): void {
    const { pod, sandboxes } = view;
    const runs = sandboxes.some(({ containers }) => containers.some(({ state }) => state === "running"));
    if (!this.#volumesDue || !runs || isEnding(view)) return;
    this.#volumesDue = false;
    this.#node.volumes.prepare(this.#node, pod).catch((error: unknown) => {
      const message = errorText(error);
      this.#node.events.event(pod, "Warning", "FailedMount", message);
    });
  }

  /** Retries configuration errors at once when the Pod has changed, because the change may resolve them. */
  #forgetConfigErrors(pod: Pod): void {
    if (this.#seen !== undefined && !isConfiguredAlike(pod, this.#seen)) {
      this.#volumesDue = true;
      for (const subject of this.#work.keys()) this.#step(subject, { type: "changed" });
    }
    this.#seen = pod;
  }

  /**
   * Writes the status if it has changed. A stale write is dropped, because the newer Pod causes another sync. Resolves
   * to false when there was nothing to write.
   */
  async #report(view: PodView): Promise<boolean> {
    const { pod } = view;
    const status = podStatus(view, this.#node.addresses);
    if (deepEqual(status, pod.status)) return false;
    try {
      await this.#node.client.of(pods, pod.metadata.namespace).updateStatus({ ...pod, status });
    } catch (error) {
      if (!hasReason(error, "Conflict", "NotFound")) throw error;
    }
    return true;
  }

  #start(action: Action, view: PodView): void {
    const { runtime } = this.#node;
    const { pod } = view;
    switch (action.type) {
      case "createSandbox":
        return this.#run("sandbox", () =>
          createSandbox(this.#node, pod, action.attempt, this.#ending.signal),
        );
      case "startContainer": {
        const { container, sandbox, attempt } = action;
        const launch = () =>
          launchContainer(this.#node, pod, sandbox, container, attempt, this.#ending.signal);
        return this.#run(`container/${container.name}`, launch, attempt > 0);
      }
      case "resize":
        return this.#run("resize", () => this.#resize(view, action));
      case "stopContainer":
        if (action.forResize === true) this.#restarting.add(action.id);
        return this.#stop(`container/${action.name}`, () => killContainer(this.#node, pod, action));
      case "stopSandbox":
        return this.#stop(`sandbox/${action.id}`, () => runtime.stopSandbox(action.id));
      case "removeSandbox":
        return this.#run(`sandbox/${action.id}`, () => runtime.removeSandbox(action.id));
      case "removeContainer":
        return this.#run(`remains/${action.id}`, () => this.#removeContainer(action));
      case "removeVolumes":
        return this.#run("volumes", () => this.#clear(pod));
      case "finishDeletion":
        return this.#run("deletion", () => this.#finishDeletion(pod));
    }
  }

  async #resize(view: PodView, { sandbox, changes }: Extract<Action, { type: "resize" }>): Promise<void> {
    try {
      await resizePod(this.#node, view, sandbox, changes);
    } catch (error) {
      this.#node.allocations.failed(view.pod.metadata.uid ?? "", errorText(error));
      throw error;
    }
  }

  /** Removes a container and its logs, which only a runtime with real containers writes. */
  async #removeContainer({ id, logPath }: Extract<Action, { type: "removeContainer" }>): Promise<void> {
    const { runtime } = this.#node;
    await runtime.removeContainer(id);
    if (runtime.reopenLog !== undefined) await removeLogs(logPath);
  }

  async #clear({ metadata: { uid = "" } }: Pod): Promise<void> {
    this.#cleared = true; // Set even after a failure, because the Pod's deletion removes them again.
    await this.#node.volumes.remove(this.#node, uid);
  }

  /** Unmounts first: a claim whose last Pod is gone may be deleted, and its volume with it. */
  async #finishDeletion({ metadata: { name = "", namespace, uid = "" } }: Pod): Promise<void> {
    await this.#node.volumes.remove(this.#node, uid);
    try {
      await this.#node.client
        .of(pods, namespace)
        .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!hasReason(error, "NotFound", "Conflict")) throw error;
    }
  }

  #step(subject: Subject, event: WorkEvent): void {
    const next = stepWork(this.#work.get(subject) ?? untouched, event);
    if (next === untouched) this.#work.delete(subject);
    else this.#work.set(subject, next);
  }

  /** Runs an operation beside `sync`. The status shows a failure, and a later `sync` retries. */
  #run(subject: Subject, work: () => Promise<unknown>, isRestart = false): void {
    const { clock } = this.#node.env;
    this.#step(subject, {
      type: "start",
      isRestart,
      now: clock.now(),
      ...(this.#node.maxRestartMs !== undefined && { mostMs: this.#node.maxRestartMs }),
    });
    void this.#beside(
      subject,
      work().then(
        (): WorkEvent => ({ type: "started" }),
        (error: unknown): WorkEvent => {
          const failure = failureOf(error);
          this.#node.env.log.debug("an operation on a Pod failed", { subject, ...failure });
          return { type: "failed", failure, now: clock.now() };
        },
      ),
    );
  }

  #stop(subject: Subject, work: () => Promise<unknown>): void {
    this.#step(subject, { type: "stop" });
    const log = (error: unknown) =>
      this.#node.env.log.warn("stopping failed", { subject, error: String(error) });
    void this.#beside(
      subject,
      work()
        .catch(log)
        .then(() => ({ type: "stopped" })),
    );
  }

  /** Lists the runtime before the operation ends, because the next plan must see its effect. */
  async #beside(subject: Subject, work: Promise<WorkEvent>): Promise<void> {
    const event = await work;
    await this.#node.refresh().catch((error: unknown) => {
      this.#node.env.log.warn("Cannot list the runtime", { error: String(error) });
    });
    this.#step(subject, event);
    this.#again();
  }
}

function isConfiguredAlike(a: Pod, b: Pod): boolean {
  return (
    a === b ||
    (deepEqual(a.spec, b.spec) &&
      deepEqual(a.metadata.labels, b.metadata.labels) &&
      deepEqual(a.metadata.annotations, b.metadata.annotations))
  );
}

function runningIn(sandboxes: readonly SandboxStatus[]): ReadonlySet<string> {
  const containers = sandboxes.flatMap((sandbox) => sandbox.containers);
  return new Set(containers.filter(({ state }) => state === "running").map(({ name }) => name));
}

function failureOf(error: unknown): Failure {
  return {
    reason: error instanceof RuntimeError ? error.reason : "RunContainerError",
    message: errorText(error),
  };
}
