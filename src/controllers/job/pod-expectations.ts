import type { Pod } from "../../api/core/pod/schema.ts";
import { Expectations } from "../../client/expectations.ts";
import type { Delta } from "../../client/informer.ts";
import type { Clock } from "../../util/clock.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";
import { isTracked } from "./pods.ts";

/**
 * The writes of Pods that the cache does not show yet, by the UIDs of their Jobs. Until it shows them, a Job is not
 * reconciled, because Pods would be created, deleted or counted twice.
 */
export class PodExpectations {
  readonly #pods: Expectations;
  /** The UIDs of the Pods whose finalizer was removed. They never expire, or a Pod would be counted twice. */
  readonly #released = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#pods = new Expectations(clock);
  }

  settled(job: string): boolean {
    return this.#pods.satisfied(job) && (this.#released.get(job)?.size ?? 0) === 0;
  }

  expectCreations(job: string, count: number): void {
    this.#pods.expectCreations(job, count);
  }

  /** Notes that `count` expected Pods were not created. */
  creationsFailed(job: string, count: number): void {
    for (let i = 0; i < count; i++) this.#pods.creationObserved(job);
  }

  expectDeletions(job: string, pods: readonly Pod[]): void {
    this.#pods.expectDeletions(job, pods.map(uidOf));
  }

  deletionFailed(job: string, pod: Pod): void {
    this.#pods.deletionObserved(job, uidOf(pod));
  }

  expectReleases(job: string, pods: readonly Pod[]): void {
    this.#released.set(job, new Set([...(this.#released.get(job) ?? []), ...pods.map(uidOf)]));
  }

  releaseFailed(job: string, pod: Pod): void {
    this.#released.get(job)?.delete(uidOf(pod));
  }

  /**
   * Notes the state of a Pod in the cache after a write. The cache may have shown the expected state before the
   * write, which then causes no event.
   */
  observeCurrent(job: string, pod: Pod, current: Pod | undefined): void {
    const isGone = current === undefined || uidOf(current) !== uidOf(pod);
    if (isGone || current.metadata.deletionTimestamp !== undefined) this.deletionFailed(job, pod);
    if (isGone || !isTracked(current)) this.releaseFailed(job, pod);
  }

  /** Notes a change that the cache shows. */
  observe({ type, object }: Delta<Pod>): void {
    const job = controllerRefOf(object)?.uid;
    if (job === undefined) return;
    if (type === "added") this.#pods.creationObserved(job);
    this.observeCurrent(job, object, type === "deleted" ? undefined : object);
  }

  /** Drops the expectations of a Job that is finished or deleted. */
  forget(job: string): void {
    this.#pods.forget(job);
    this.#released.delete(job);
  }
}

const uidOf = ({ metadata: { uid = "" } }: Pod): string => uid;
