import type { ServicePort } from "./plan.ts";

/** Implements Services' addresses on this machine. */
export interface ServiceBackend {
  /** The name in messages: `nftables`, `userspace`. */
  readonly name: string;
  /** Makes exactly these Services reachable. Calls do not overlap. */
  sync(plan: readonly ServicePort[]): Promise<void>;
  /** Removes everything that the backend created. */
  close(): Promise<void>;
}
