import type { ServicePort } from "./plan.ts";

/** A port that a backend cannot serve at one of its addresses. */
export interface Refusal {
  /** The port's name in the plan. */
  readonly service: string;
  readonly isHostPort: boolean;
  /** The address and port. */
  readonly where: string;
  readonly problem: string;
}

/** Implements Services' addresses on this machine. */
export interface ServiceBackend {
  /** The name in messages: `nftables`, `userspace`. */
  readonly name: string;
  /** Makes exactly these Services reachable, except those that it returns. Calls do not overlap. */
  sync(plan: readonly ServicePort[]): Promise<readonly Refusal[]>;
  /**
   * Reports whether the machine is still as the last `sync` left it. After false, the next `sync` makes
   * everything again.
   */
  isIntact(): Promise<boolean>;
  /** Removes everything that the backend created. */
  close(): Promise<void>;
}
