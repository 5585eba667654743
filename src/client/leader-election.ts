import { type Lease, leases } from "../api/coordination/lease/schema.ts";
import { hasReason } from "../meta/status.ts";
import { type Clock, formatMicroTime, sleep } from "../util/clock.ts";
import { withDeadline } from "../util/deadline.ts";
import type { Env } from "../util/env.ts";
import type { Client } from "./client.ts";
import type { ResourceClient } from "./resource-client.ts";
import type { InputOf, ObjectOf } from "../meta/kind.ts";

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly env: Env;
  /** The Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Who we are; must differ from every other candidate's. */
  readonly identity: string;
  /** How long others wait after the last renewal that they saw. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long the leader tries to renew before it steps down; less than the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between two tries. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** Told of every new leader that is seen. */
  readonly onNewLeader?: (identity: string) => void;
}

/** Candidates add up to this share to the retry period, so that they do not all come at once. */
const jitterFactor = 1.2;

/**
 * Waits until this candidate leads, runs `lead`, and returns once that has ended: its signal fires when the
 * lease is lost or `signal` fires. A lease still held then is given up, so that the next one need not wait.
 * Semantics and defaults are those of client-go's `tools/leaderelection`.
 *
 * Two leaders never overlap as long as clocks run at like speed: others count the lease from when they saw it
 * change, the leader from before it asked.
 */
export async function runAsLeader(
  options: LeaderElectionOptions,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const candidate = new Candidate(options);
  if (!(await candidate.acquire(signal))) return;
  const lost = new AbortController();
  const leading = AbortSignal.any([signal, lost.signal]);
  const stop = () => lost.abort();
  const work = lead(leading).finally(stop);
  await Promise.allSettled([work, candidate.renewUntilLost(leading).finally(stop)]);
  await candidate.release();
  await work;
}

class Candidate {
  readonly #leases: ResourceClient<ObjectOf<typeof leases>, InputOf<typeof leases>>;
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** The Lease as last seen, and when it was seen to change. */
  #lease: Lease | undefined;
  #changedAt = 0;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#clock = options.env.clock;
    this.#leases = options.client.of(leases, options.namespace);
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
  }

  /** Resolves with true once the lease is ours, with false when the signal fires before. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (await this.#tryAcquireOrRenew(signal)) return true;
      const jitter = 1 + jitterFactor * this.#options.env.random.next();
      await sleep(this.#clock, this.#retryPeriodMs * jitter, signal);
    }
    return false;
  }

  /** Renews until the signal fires or no renewal got through within the deadline. */
  async renewUntilLost(signal: AbortSignal): Promise<void> {
    let renewedAt = this.#clock.monotonic();
    while (!signal.aborted) {
      await sleep(this.#clock, this.#retryPeriodMs, signal);
      if (signal.aborted) return;
      const asked = this.#clock.monotonic();
      const remaining = renewedAt + this.#renewDeadlineMs - asked;
      if (remaining > 0 && (await this.#renewWithin(remaining, signal))) renewedAt = asked;
      else if (this.#clock.monotonic() - renewedAt >= this.#renewDeadlineMs) {
        this.#options.env.log.warn("Cannot renew the lease: stepping down", { lease: this.#options.name });
        return;
      }
    }
  }

  /** Lets others take the lease at once; they will in time if that cannot be said within the deadline. */
  async release(): Promise<void> {
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

  /** A try that hangs must not outlive the deadline: by then somebody else may lead. */
  async #renewWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    return (
      (await withDeadline(this.#clock, ms, signal, (either) => this.#tryAcquireOrRenew(either))) ?? false
    );
  }

  async #tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#acquireOrRenew(signal);
    } catch (error) {
      if (!signal.aborted && !hasReason(error, "Conflict", "AlreadyExists")) {
        this.#options.env.log.warn("Cannot take the lease", { lease: this.#options.name, error });
      }
      return false;
    }
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    // The time before the request counts: the lease must not seem longer to us than to others.
    const now = this.#clock.now();
    if (this.#lease !== undefined && this.#isOurs() && this.#isValid()) {
      try {
        return await this.#write(this.#lease, now, signal);
      } catch (error) {
        if (!hasReason(error, "Conflict", "NotFound")) throw error;
      }
    }
    const lease = await this.#read(signal);
    if (lease === undefined) return this.#create(now, signal);
    this.#observe(lease);
    const { holderIdentity = "" } = lease.spec;
    if (holderIdentity !== "" && !this.#isOurs() && this.#isValid()) return false;
    return this.#write(lease, now, signal);
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#leases.get(this.#options.name, { signal });
    } catch (error) {
      if (hasReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #create(now: number, signal: AbortSignal): Promise<boolean> {
    const { name, namespace } = this.#options;
    const spec = { ...this.#claim(now), acquireTime: formatMicroTime(now), leaseTransitions: 0 };
    this.#observe(await this.#leases.create({ metadata: { name, namespace }, spec }, { signal }));
    return true;
  }

  async #write({ metadata, spec: old }: Lease, now: number, signal: AbortSignal): Promise<boolean> {
    const ours = this.#isOurs();
    const transitions = old.leaseTransitions ?? 0;
    const spec = {
      ...this.#claim(now),
      acquireTime: ours ? (old.acquireTime ?? formatMicroTime(now)) : formatMicroTime(now),
      leaseTransitions: ours ? transitions : transitions + 1,
    };
    this.#observe(await this.#leases.update({ metadata, spec }, { signal }));
    return true;
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
