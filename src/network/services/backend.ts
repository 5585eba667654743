import type { ServicePort } from "./plan.ts";

/** A way to make Services' addresses answer on this machine. */
export interface ServiceBackend {
  /** For people: `nftables`, `userspace`. */
  readonly name: string;
  /** Makes exactly these Services answer. Calls do not overlap. */
  sync(plan: readonly ServicePort[]): Promise<void>;
  /** Leaves nothing behind. */
  close(): Promise<void>;
}
