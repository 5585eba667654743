import { parseQuantity, type Quantity } from "../../meta/quantity.ts";
import type { UsageAmounts } from "./configuration/schema.ts";
import { defaultUsage, type ProgramUsage } from "./program.ts";

/** The value of a quantity as a number, such as 0.25 for `250m`. */
export function amountOf({ nanos }: Quantity): number {
  return Number(nanos) / 1e9;
}

/** Returns the usage that a rule gives, where it gives one. */
export function usageOf({ cpu, memory }: UsageAmounts = {}): ProgramUsage {
  return {
    cpu: cpu === undefined ? defaultUsage.cpu : amountOf(parseQuantity(cpu)),
    memoryBytes: memory === undefined ? defaultUsage.memoryBytes : amountOf(parseQuantity(memory)),
  };
}
