import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { RuntimeError, type SandboxStatus } from "../runtime.ts";
import type { NodeContext } from "../node-context.ts";
import { createSandbox, killContainer, launchContainer } from "./operations.ts";
import { type Action, planPod } from "./plan.ts";
import { podStatus } from "./status.ts";
import { isEnding, type PodView } from "./view.ts";
import {
  type Failure,
  stepWork,
  type Subject,
  untouched,
  type Work,
  type WorkEvent,
} from "./work-machine.ts";
import { errorText } from "../../util/error-text.ts";

/** Beginning so many actions takes some ten milliseconds; then others have a turn. */
const startedAtOnce = 256;

/** Each step of a sync of so many containers takes some milliseconds; others have a turn between the steps. */
const manyContainers = 1000;

/**
 * Everything one Pod on this node needs doing, and nothing else. `sync` looks, decides and returns at once:
 * what takes time runs beside it and asks for another look when it is done, so that a deletion is never
 * kept waiting by a pull.
 */
export class PodWorker {
  readonly #node: NodeContext;
  readonly #again: () => void;
  readonly #work = new Map<Subject, Work>();
  #configuredFrom: string | undefined;
  #evicted: string | undefined;
  #cleared = false;
  #volumesDue = false;

  /** `again` asks for another `sync`. */
  constructor(node: NodeContext, again: () => void) {
    this.#node = node;
    this.#again = again;
  }

  /** Brings the Pod a step further. Answers after how many milliseconds to look again, if at all. */
  async sync(pod: Pod, sandboxes: readonly SandboxStatus[]): Promise<number | undefined> {
    const isLarge = pod.spec.containers.length > manyContainers;
    this.#forgetConfigErrors(pod);
    if (isLarge) await yieldToSockets();
    const view = this.#view(pod, sandboxes);
    this.#node.probes.follow(pod, sandboxes, this.#again);
    this.#refreshVolumes(view);
    if (isLarge) await yieldToSockets();
    const { actions, againMs } = planPod(view);
    if (isLarge) await yieldToSockets();
    const reported = this.#report(view);
    const last = (action: Action) => action.type === "finishDeletion"; // After the status, which it ends.
    for (const [index, action] of actions.entries()) {
      if (!last(action)) this.#start(action, view);
      if ((index + 1) % startedAtOnce === 0) await yieldToSockets();
    }
    await reported;
    for (const action of actions) if (last(action)) this.#start(action, view);
    return againMs;
  }

  /** Ends the Pod for good; `why` becomes its status' message. Answers whether that is news. */
  evict(why: string): boolean {
    if (this.#evicted !== undefined) return false;
    this.#evicted = why;
    this.#again();
    return true;
  }

  /** Has the next `sync` bring the volumes up to date. */
  volumesDue(): void {
    this.#volumesDue = true;
  }

  /** Nothing of the Pod is left on the node. */
  async forget(uid: string): Promise<void> {
    this.#node.probes.forget(uid);
    await this.#node.volumes.remove(this.#node, uid);
  }

  #view(pod: Pod, sandboxes: readonly SandboxStatus[]): PodView {
    return {
      pod,
      sandboxes,
      now: this.#node.env.clock.now(),
      work: this.#work,
      evicted: this.#evicted,
      cleared: this.#cleared,
      probes: this.#node.probes.results(pod.metadata.uid ?? ""),
    };
  }

  /** Contents from objects follow them while containers run; what fails keeps the old ones (kubelet `syncPod`). */
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

  /** A changed Pod may mend what was wrong with it: configuration errors are tried again at once. */
  #forgetConfigErrors(pod: Pod): void {
    const configuredFrom = JSON.stringify([pod.spec, pod.metadata.labels, pod.metadata.annotations]);
    if (this.#configuredFrom !== undefined && this.#configuredFrom !== configuredFrom) {
      this.#volumesDue = true;
      for (const subject of this.#work.keys()) this.#step(subject, { type: "changed" });
    }
    this.#configuredFrom = configuredFrom;
  }

  /** Writes the status if it says something new. A stale write is dropped: the newer Pod brings another look. */
  async #report(view: PodView): Promise<void> {
    const { pod } = view;
    const status = podStatus(view, this.#node.addresses);
    if (deepEqual(status, pod.status)) return;
    try {
      await this.#node.client.of(pods, pod.metadata.namespace).updateStatus({ ...pod, status });
    } catch (error) {
      if (!hasReason(error, "Conflict", "NotFound")) throw error;
    }
  }

  #start(action: Action, view: PodView): void {
    const { runtime } = this.#node;
    const { pod } = view;
    switch (action.type) {
      case "createSandbox":
        return this.#run("sandbox", () => createSandbox(this.#node, pod, action.attempt));
      case "startContainer": {
        const { container, sandbox, attempt } = action;
        const launch = () => launchContainer(this.#node, pod, sandbox, container, attempt);
        return this.#run(`container/${container.name}`, launch, attempt > 0);
      }
      case "stopContainer":
        return this.#stop(`container/${action.name}`, () => killContainer(this.#node, pod, action));
      case "stopSandbox":
        return this.#stop(`sandbox/${action.id}`, () => runtime.stopSandbox(action.id));
      case "removeSandbox":
        return this.#run(`sandbox/${action.id}`, () => runtime.removeSandbox(action.id));
      case "removeContainer":
        return this.#run(`remains/${action.id}`, () => runtime.removeContainer(action.id));
      case "removeVolumes":
        return this.#run("volumes", () => this.#clear(pod));
      case "finishDeletion":
        return this.#run("deletion", () => this.#finishDeletion(pod));
    }
  }

  async #clear({ metadata: { uid = "" } }: Pod): Promise<void> {
    this.#cleared = true; // Whatever comes of it: the Pod's deletion tries again.
    await this.#node.volumes.remove(this.#node, uid);
  }

  async #finishDeletion({ metadata: { name = "", namespace, uid = "" } }: Pod): Promise<void> {
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

  /** Runs beside `sync`. The status shows a failure, and a later `sync` tries again. */
  #run(subject: Subject, work: () => Promise<unknown>, isRestart = false): void {
    const { clock } = this.#node.env;
    this.#step(subject, { type: "start", isRestart, now: clock.now() });
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

  /** The runtime is looked at before the work ends: the next plan must see what the work has changed. */
  async #beside(subject: Subject, work: Promise<WorkEvent>): Promise<void> {
    const event = await work;
    await this.#node.refresh().catch((error: unknown) => {
      this.#node.env.log.warn("the runtime was not looked at", { error: String(error) });
    });
    this.#step(subject, event);
    this.#again();
  }
}

function failureOf(error: unknown): Failure {
  return {
    reason: error instanceof RuntimeError ? error.reason : "RunContainerError",
    message: errorText(error),
  };
}
