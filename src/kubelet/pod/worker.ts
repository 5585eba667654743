import type { Container } from "../../api/core/pod/container.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { RuntimeError, type SandboxStatus } from "../runtime.ts";
import type { NodeContext } from "../node-context.ts";
import { Delays } from "./delays.ts";
import { createSandbox, killContainer, launchContainer } from "./operations.ts";
import { type Action, planPod } from "./plan.ts";
import { podStatus } from "./status.ts";
import { type Backoff, type Failure, isEnding, latest, type PodView } from "./view.ts";

/** Beginning so many actions takes some ten milliseconds; then others have a turn. */
const startedAtOnce = 256;

/**
 * Everything one Pod on this node needs doing, and nothing else. `sync` looks, decides and returns at once:
 * what takes time runs beside it and asks for another look when it is done, so that a deletion is never
 * kept waiting by a pull.
 */
export class PodWorker {
  readonly #node: NodeContext;
  readonly #again: () => void;
  readonly #busy = new Set<string>();
  readonly #stopping = new Set<string>();
  readonly #failures = new Map<string, Failure>();
  readonly #restarts: Delays;
  readonly #retries: Delays;
  #configuredFrom: string | undefined;
  #evicted: string | undefined;
  #cleared = false;
  #volumesDue = false;

  /** `again` asks for another `sync`. */
  constructor(node: NodeContext, again: () => void) {
    this.#node = node;
    this.#again = again;
    this.#restarts = new Delays(node.env.clock);
    this.#retries = new Delays(node.env.clock);
  }

  /** Brings the Pod a step further. Answers after how many milliseconds to look again, if at all. */
  async sync(pod: Pod, sandboxes: readonly SandboxStatus[]): Promise<number | undefined> {
    this.#forgetConfigErrors(pod);
    const view = this.#view(pod, sandboxes);
    this.#node.probes.follow(pod, sandboxes, this.#again);
    this.#refreshVolumes(view);
    const { actions, againMs } = planPod(view);
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
    const backoffs = new Map<string, Backoff>(this.#retries.entries());
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      const ended = latest({ sandboxes }, container.name);
      const delayMs = this.#restarts.delay(container.name);
      if (ended?.finishedAt !== undefined && delayMs !== undefined) {
        backoffs.set(container.name, { delayMs, since: ended.finishedAt });
      }
    }
    return {
      pod,
      sandboxes,
      now: this.#node.env.clock.now(),
      busy: this.#busy,
      stopping: this.#stopping,
      evicted: this.#evicted,
      cleared: this.#cleared,
      failures: this.#failures,
      backoffs,
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
      const message = error instanceof Error ? error.message : String(error);
      this.#node.events.event(pod, "Warning", "FailedMount", message);
    });
  }

  /** A changed Pod may mend what was wrong with it: configuration errors are tried again at once. */
  #forgetConfigErrors(pod: Pod): void {
    const configuredFrom = JSON.stringify([pod.spec, pod.metadata.labels, pod.metadata.annotations]);
    if (this.#configuredFrom !== undefined && this.#configuredFrom !== configuredFrom) {
      this.#volumesDue = true;
      for (const [name, { reason }] of this.#failures) {
        if (reason !== "CreateContainerConfigError") continue;
        this.#failures.delete(name);
        this.#retries.reset(name);
      }
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
        this.#run("sandbox", () => createSandbox(this.#node, pod, action.attempt));
        return;
      case "startContainer":
        if (action.attempt > 0) this.#restarts.grow(action.container.name);
        this.#run(action.container.name, () =>
          this.#launch(pod, action.sandbox, action.container, action.attempt),
        );
        return;
      case "stopContainer":
        this.#stop(action.id, () => killContainer(this.#node, pod, action));
        return;
      case "stopSandbox":
        this.#stop(action.id, () => runtime.stopSandbox(action.id));
        return;
      case "removeSandbox":
        this.#run("sandbox", () => runtime.removeSandbox(action.id));
        return;
      case "removeContainer":
        this.#run(action.id, () => runtime.removeContainer(action.id));
        return;
      case "removeVolumes":
        this.#run("volumes", () => this.#clear(pod));
        return;
      case "finishDeletion":
        this.#run("deletion", () => this.#finishDeletion(pod));
        return;
    }
  }

  async #launch(pod: Pod, sandbox: SandboxStatus, container: Container, attempt: number): Promise<void> {
    await launchContainer(this.#node, pod, sandbox, container, attempt);
    this.#failures.delete(container.name);
    this.#retries.reset(container.name);
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

  /** Runs beside `sync`; nothing else of the same name starts meanwhile. A failure is shown, and tried again later. */
  #run(name: string, work: () => Promise<unknown>): void {
    this.#busy.add(name);
    void work()
      .catch((error: unknown) => this.#failed(name, error))
      .then(() => this.#node.refresh())
      .finally(() => {
        this.#busy.delete(name);
        this.#again();
      });
  }

  #stop(id: string, work: () => Promise<unknown>): void {
    this.#stopping.add(id);
    void work()
      .catch((error: unknown) => {
        this.#node.env.log.warn("stopping failed", { id, error: String(error) });
      })
      .then(() => this.#node.refresh())
      .finally(() => {
        this.#stopping.delete(id);
        this.#again();
      });
  }

  #failed(name: string, error: unknown): void {
    const reason = error instanceof RuntimeError ? error.reason : "RunContainerError";
    const message = error instanceof Error ? error.message : String(error);
    const isPull =
      reason === "ErrImagePull" || reason === "InvalidImageName" || reason === "ErrImageNeverPull";
    const repeated = this.#failures.get(name)?.reason;
    this.#retries.grow(name);
    const backingOff = isPull && (repeated === "ErrImagePull" || repeated === "ImagePullBackOff");
    this.#failures.set(
      name,
      backingOff
        ? { reason: "ImagePullBackOff", message: `Back-off pulling image: ${message}` }
        : { reason, message },
    );
    this.#node.env.log.debug("an operation on a Pod failed", { name, reason, message });
  }
}
