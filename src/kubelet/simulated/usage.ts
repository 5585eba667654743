import { parseQuantity } from "../../meta/quantity.ts";
import { amountOf } from "./configuration/amount.ts";
import type { UsageAmounts } from "./configuration/schema.ts";
import { defaultUsage, type ProgramUsage } from "./program.ts";

/** Returns the usage that a rule gives, where it gives one. */
export function usageOf({ cpu, memory }: UsageAmounts = {}): ProgramUsage {
  return {
    cpu: cpu === undefined ? defaultUsage.cpu : amountOf(parseQuantity(cpu)),
    memoryBytes: memory === undefined ? defaultUsage.memoryBytes : amountOf(parseQuantity(memory)),
  };
}
