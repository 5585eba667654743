import { type Lease, leases } from "../api/coordination/lease/schema.ts";
import { hasReason } from "../meta/status.ts";
import { type Clock, formatMicroTime, sleep } from "../util/clock.ts";
import { withDeadline } from "../util/deadline.ts";
import type { Env } from "../util/env.ts";
import type { Client } from "./client.ts";
import {
  type ElectionAction,
  type ElectionEvent,
  startElection,
  stepElection,
} from "./leader-election-machine.ts";
import type { ResourceClient } from "./resource-client.ts";
import type { InputOf, ObjectOf } from "../meta/kind.ts";

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly env: Env;
  /** The Lease. */
  readonly namespace: string;
  readonly name: string;
  /** The name of this candidate; must differ from every other candidate's. */
  readonly identity: string;
  /** The time that other candidates wait after the last renewal that they saw. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** The time after which a leader that cannot renew steps down; shorter than the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** The time between two tries. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** Called with every new leader that is seen. */
  readonly onNewLeader?: (identity: string) => void;
}

/** The largest share of the retry period that candidates add to it, so that they do not all try at once. */
const jitterFactor = 1.2;

/**
 * Waits until this candidate leads, runs `lead`, and returns when `lead` has ended. The signal of `lead` fires when the
 * Lease is lost or `signal` fires. A Lease that is still held at the end is released, so that the next leader need not
 * wait for its expiry. Semantics and defaults are those of client-go's `tools/leaderelection`.
 *
 * Two leaders never overlap while clocks run at a similar speed: other candidates count the lease from the time at
 * which they saw it change, the leader from before its request.
 */
export async function runAsLeader(
  options: LeaderElectionOptions,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await new Candidate(options, signal, lead).run();
}

class Candidate {
  readonly #leases: ResourceClient<ObjectOf<typeof leases>, InputOf<typeof leases>>;
  readonly #options: LeaderElectionOptions;
  readonly #lead: (signal: AbortSignal) => Promise<void>;
  readonly #clock: Clock;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** Ends the requests and the waits. A leader's signal also fires when its work has ended. */
  #signal: AbortSignal;
  readonly #stop = new AbortController();
  /** The work of the leader. */
  #work: Promise<void> | undefined;
  /** The Lease as last seen, and the time at which it was seen to change. */
  #lease: Lease | undefined;
  #changedAt = 0;
  /**
   * The start of the present try, on both clocks. The try starts before its requests, so that the Lease never seems
   * longer to its holder than to other candidates.
   */
  #try: { readonly now: number; readonly at: number };
  /** The start of the try that last renewed the Lease. */
  #renewedAt = 0;

  constructor(
    options: LeaderElectionOptions,
    signal: AbortSignal,
    lead: (signal: AbortSignal) => Promise<void>,
  ) {
    this.#options = options;
    this.#signal = signal;
    this.#lead = lead;
    this.#clock = options.env.clock;
    this.#measure(false);
    this.#try = this.#startTry();
    this.#leases = options.client.of(leases, options.namespace);
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
  }

  /** Resolves when the candidate has ended, and rejects with the error of its work. */
  async run(): Promise<void> {
    let step = startElection;
    for (;;) {
      let event: ElectionEvent | undefined;
      for (const action of step.actions) event = await this.#perform(action);
      if (event === undefined) return this.#work;
      step = stepElection(step.state, event);
    }
  }

  async #perform(action: ElectionAction): Promise<ElectionEvent | undefined> {
    switch (action) {
      case "wait":
        return this.#wait();
      case "lead":
        return this.#startWork();
      case "release":
        this.#stop.abort();
        await Promise.allSettled([this.#work]);
        await this.#release();
        return undefined;
      default:
        return this.#request(action);
    }
  }

  #startWork(): undefined {
    this.#signal = AbortSignal.any([this.#signal, this.#stop.signal]);
    this.#measure(true);
    this.#work = this.#lead(this.#signal).finally(() => {
      this.#measure(false);
      this.#stop.abort();
    });
    // `run` rejects with the error, but only after the release.
    this.#work.catch(() => {});
  }

  #measure(leads: boolean): void {
    const { env, name } = this.#options;
    const help =
      "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.";
    env.metrics
      ?.gauge({ name: "leader_election_master_status", help, labels: ["name"] })
      .set({ name }, Number(leads));
  }

  async #wait(): Promise<ElectionEvent> {
    const jitter = this.#work === undefined ? 1 + jitterFactor * this.#options.env.random.next() : 1;
    await sleep(this.#clock, this.#retryPeriodMs * jitter, this.#signal);
    if (this.#signal.aborted) return "stop";
    this.#try = this.#startTry();
    if (this.#remainingMs() <= 0) return this.#deadline();
    return this.#isOurs() && this.#isValid() ? "renew" : "retry";
  }

  /** Sends a request, bounded by the leader's deadline: after the deadline, another candidate may lead. */
  async #request(action: "get" | "create" | "update"): Promise<ElectionEvent> {
    if (this.#signal.aborted) return "stop";
    const event =
      this.#work === undefined
        ? await this.#attempt(action, this.#signal)
        : await withDeadline(this.#clock, this.#remainingMs(), this.#signal, (either) =>
            this.#attempt(action, either),
          );
    if (event === "written") this.#renewedAt = this.#try.at;
    else if (this.#signal.aborted) return "stop";
    return event ?? this.#deadline();
  }

  async #attempt(action: "get" | "create" | "update", signal: AbortSignal): Promise<ElectionEvent> {
    try {
      if (action === "get") return this.#classify(await this.#read(signal));
      await (action === "create" || this.#lease === undefined
        ? this.#create(this.#try.now, signal)
        : this.#write(this.#lease, this.#try.now, signal));
      return "written";
    } catch (error) {
      if (hasReason(error, "Conflict", "AlreadyExists")) return "conflict";
      if (action === "update" && hasReason(error, "NotFound")) return "conflict";
      if (!signal.aborted)
        this.#options.env.log.warn("Cannot take the lease", { lease: this.#options.name, error });
      return "failed";
    }
  }

  #classify(lease: Lease | undefined): ElectionEvent {
    if (lease === undefined) return "absent";
    this.#observe(lease);
    const { holderIdentity = "" } = lease.spec;
    return holderIdentity !== "" && !this.#isOurs() && this.#isValid() ? "held" : "free";
  }

  #startTry(): { readonly now: number; readonly at: number } {
    return { now: this.#clock.now(), at: this.#clock.monotonic() };
  }

  #remainingMs(): number {
    if (this.#work === undefined) return Infinity;
    return this.#renewedAt + this.#renewDeadlineMs - this.#clock.monotonic();
  }

  #deadline(): ElectionEvent {
    this.#options.env.log.warn("Cannot renew the lease: stepping down", { lease: this.#options.name });
    return "deadline";
  }

  /** Releases the Lease, so that others can take it at once. If the release fails, they take it when it expires. */
  async #release(): Promise<void> {
    if (this.#lease === undefined || !this.#isOurs()) return;
    const { metadata, spec: old } = this.#lease;
    const now = formatMicroTime(this.#clock.now());
    const spec = {
      leaseTransitions: old.leaseTransitions ?? 0,
      holderIdentity: "",
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
    };
    await withDeadline(this.#clock, this.#renewDeadlineMs, undefined, async (signal) => {
      try {
        await this.#leases.update({ metadata, spec }, { signal });
      } catch (error) {
        this.#options.env.log.warn("Cannot release the lease", { lease: this.#options.name, error });
      }
      return undefined;
    });
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#leases.get(this.#options.name, { signal });
    } catch (error) {
      if (hasReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #create(now: number, signal: AbortSignal): Promise<void> {
    const { name, namespace } = this.#options;
    const spec = { ...this.#claim(now), acquireTime: formatMicroTime(now), leaseTransitions: 0 };
    this.#observe(await this.#leases.create({ metadata: { name, namespace }, spec }, { signal }));
  }

  async #write({ metadata, spec: old }: Lease, now: number, signal: AbortSignal): Promise<void> {
    const ours = this.#isOurs();
    const transitions = old.leaseTransitions ?? 0;
    const spec = {
      ...this.#claim(now),
      acquireTime: ours ? (old.acquireTime ?? formatMicroTime(now)) : formatMicroTime(now),
      leaseTransitions: ours ? transitions : transitions + 1,
    };
    this.#observe(await this.#leases.update({ metadata, spec }, { signal }));
  }

  #claim(now: number): Pick<Lease["spec"], "holderIdentity" | "leaseDurationSeconds" | "renewTime"> {
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.trunc(this.#leaseDurationMs / 1000),
      renewTime: formatMicroTime(now),
    };
  }

  #observe(lease: Lease): void {
    const before = this.#lease;
    this.#lease = lease;
    if (before?.metadata.resourceVersion !== lease.metadata.resourceVersion)
      this.#changedAt = this.#clock.monotonic();
    const { holderIdentity = "" } = lease.spec;
    if (holderIdentity !== "" && holderIdentity !== before?.spec.holderIdentity)
      this.#options.onNewLeader?.(holderIdentity);
  }

  #isOurs(): boolean {
    return this.#lease?.spec.holderIdentity === this.#options.identity;
  }

  #isValid(): boolean {
    const seconds = this.#lease?.spec.leaseDurationSeconds ?? 0;
    return this.#changedAt + seconds * 1000 > this.#clock.monotonic();
  }
}
