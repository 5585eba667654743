import type { Random } from "../../util/random.ts";
import type { ContainerConfig } from "../runtime.ts";
import { type Overrides, overridesOf } from "./annotations.ts";
import { drawDelay, drawWeighted } from "./delay.ts";
import { defaultUsage, type ProgramUsage } from "./program.ts";
import type { Rule } from "./rules.ts";

/** The life of one container, with every delay drawn. Times are in milliseconds. */
export interface Script {
  readonly startDelay: number;
  /** The time from the container's start until it is ready. */
  readonly readyDelay: number;
  readonly end: Ending;
  readonly usage: ProgramUsage;
}

export interface Ending {
  /** The time from the container's start. Undefined: the container runs until it is stopped. */
  readonly afterMs: number | undefined;
  readonly exitCode: number;
}

const atOnce: Ending = { afterMs: 0, exitCode: 0 };
/** A stopped container exits with 0, as most servers do. */
const whenStopped: Ending = { afterMs: undefined, exitCode: 0 };

/**
 * Decides about a container's life: the Pod's annotations count before the rule, for the main containers.
 * @throws RuntimeError CreateContainerConfigError for an invalid annotation
 */
export function scriptOf(
  { pod, role }: Pick<ContainerConfig, "pod" | "role">,
  rule: Rule | undefined,
  random: Random,
): Script {
  const overrides = role === "main" ? overridesOf(pod.annotations) : {};
  const { start, ready } = rule?.stages ?? {};
  return {
    startDelay: overrides.startDelay ?? drawDelay(start?.delay, random),
    readyDelay: overrides.readyDelay ?? drawDelay(ready?.delay, random),
    end: endOf(rule, overrides, random) ?? (role === "init" ? atOnce : whenStopped),
    usage: usageOf(rule, overrides),
  };
}

/** Returns the end that is drawn; undefined for the default one. An exit code alone ends the container at once. */
function endOf(rule: Rule | undefined, { runFor, exitCode }: Overrides, random: Random): Ending | undefined {
  const end = drawWeighted(rule?.stages.end ?? [], random);
  if (end === undefined && runFor === undefined && exitCode === undefined) return undefined;
  const drawn = end?.untilStopped === true ? undefined : drawDelay(end?.delay, random);
  return { afterMs: runFor ?? drawn, exitCode: exitCode ?? end?.exitCode ?? 0 };
}

function usageOf(rule: Rule | undefined, { cpu, memory }: Overrides): ProgramUsage {
  const usage = rule?.usage ?? defaultUsage;
  if (cpu === undefined && memory === undefined) return usage;
  return { cpu: cpu ?? usage.cpu, memoryBytes: memory ?? usage.memoryBytes };
}
