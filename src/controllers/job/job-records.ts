import type { Job } from "../../api/batch/job/schema.ts";
import type { Clock } from "../../util/clock.ts";
import { type Backoff, noFailures } from "./backoff.ts";
import { PodExpectations } from "./pod-expectations.ts";

/** The facts about unfinished Jobs that are not in their status, by UID. */
export class JobRecords {
  readonly pods: PodExpectations;
  readonly #backoffs = new Map<string, Backoff>();
  /** The resourceVersions of the last written statuses. */
  readonly #written = new Map<string, string>();

  constructor(clock: Clock) {
    this.pods = new PodExpectations(clock);
  }

  /** Reports whether the cache shows all earlier writes. */
  isSettled(job: Job): boolean {
    const { uid = "", resourceVersion = "" } = job.metadata;
    return this.pods.settled(uid) && !isOlder(resourceVersion, this.#written.get(uid) ?? "");
  }

  wrote({ metadata: { uid = "", resourceVersion = "" } }: Job): void {
    this.#written.set(uid, resourceVersion);
  }

  backoffOf({ metadata: { uid = "" } }: Job): Backoff {
    return this.#backoffs.get(uid) ?? noFailures;
  }

  setBackoff({ metadata: { uid = "" } }: Job, backoff: Backoff): void {
    this.#backoffs.set(uid, backoff);
  }

  /** Drops the records of a Job that is finished or deleted. */
  forget({ metadata: { uid = "" } }: Job): void {
    this.pods.forget(uid);
    this.#backoffs.delete(uid);
    this.#written.delete(uid);
  }
}

/** Compares resourceVersions, which are integers of any size. */
function isOlder(a: string, b: string): boolean {
  return a.length < b.length || (a.length === b.length && a < b);
}
