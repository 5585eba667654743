import type { Changes, Rules } from "./node-state.ts";

/** Enforces policies for the Pods of this machine. */
export interface PolicyBackend {
  /**
   * Enforces the rules, of which at most `changes` differ from those of the call before, even when that call failed.
   * Calls do not overlap.
   */
  sync(rules: Rules, changes: Changes): Promise<void>;
}
