import { sleep } from "../../util/clock.ts";
import type { Random } from "../../util/random.ts";
import type { ContainerConfig } from "../runtime.ts";
import { type Overrides, overridesOf } from "./annotations.ts";
import { drawDelay, drawWeighted } from "./delay.ts";
import { defaultUsage, type Program, type ProgramUsage, server, task } from "./program.ts";
import type { Rule } from "./rules.ts";

/** The life of one container, with every delay drawn. Times are in milliseconds. */
export interface Script {
  readonly startDelay: number;
  /** The time from the container's start until it is ready. */
  readonly readyDelay: number;
  readonly program: Program;
}

/**
 * Decides about a container's life: the Pod's annotations count before the rule, for the main containers.
 * `program` is the image's own, which decides alone about its end and its usage.
 * @throws RuntimeError CreateContainerConfigError for an invalid annotation
 */
export function scriptOf(
  { pod, role }: Pick<ContainerConfig, "pod" | "role">,
  rule: Rule | undefined,
  program: Program | undefined,
  random: Random,
): Script {
  const overrides = role === "main" ? overridesOf(pod.annotations) : {};
  const { start, ready } = rule?.stages ?? {};
  return {
    startDelay: overrides.startDelay ?? drawDelay(start?.delay, random),
    readyDelay: overrides.readyDelay ?? drawDelay(ready?.delay, random),
    program: program ?? programOf(role, rule, overrides, random),
  };
}

function programOf(
  role: ContainerConfig["role"],
  rule: Rule | undefined,
  overrides: Overrides,
  random: Random,
): Program {
  const base = role === "init" ? task : server;
  const end = endOf(rule, overrides, random);
  const usage = usageOf(rule, overrides);
  if (end === undefined && usage === undefined) return base;
  return {
    ...(end === undefined ? base : ending(end)),
    ...(usage === undefined ? {} : { usage: () => usage }),
  };
}

interface Ending {
  /** Undefined: the container runs until it is stopped. */
  readonly afterMs: number | undefined;
  readonly exitCode: number;
}

/** Returns the end that is drawn; undefined for the default one. An exit code alone ends the container at once. */
function endOf(rule: Rule | undefined, { runFor, exitCode }: Overrides, random: Random): Ending | undefined {
  const end = drawWeighted(rule?.stages.end ?? [], random);
  if (end === undefined && runFor === undefined && exitCode === undefined) return undefined;
  const drawn = end?.untilStopped === true ? undefined : drawDelay(end?.delay, random);
  return { afterMs: runFor ?? drawn, exitCode: exitCode ?? end?.exitCode ?? 0 };
}

function usageOf(rule: Rule | undefined, { cpu, memory }: Overrides): ProgramUsage | undefined {
  const base = rule?.usage;
  if (cpu === undefined && memory === undefined) return base;
  const { cpu: ruleCpu, memoryBytes } = base ?? defaultUsage;
  return { cpu: cpu ?? ruleCpu, memoryBytes: memory ?? memoryBytes };
}

/** Ends after a time, or when it is stopped. A stopped container exits with 0, as most servers do. */
function ending({ afterMs, exitCode }: Ending): Program {
  if (afterMs === undefined) return { run: async (context) => (await server.run(context), exitCode) };
  return {
    run: async ({ clock, signal }) => {
      await sleep(clock, afterMs, signal);
      return signal.aborted ? 0 : exitCode;
    },
  };
}
