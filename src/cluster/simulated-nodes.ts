import type { NodeGroup, SimulationConfiguration } from "../kubelet/simulated/configuration/schema.ts";
import type { Program } from "../kubelet/simulated/program.ts";
import { Rules } from "../kubelet/simulated/rules.ts";
import type { Env } from "../util/env.ts";
import { machineInfo, type NodeSetup, simulatedNode } from "./node-setup.ts";

export interface SimulatedNodesOptions {
  /** The number of nodes, unless the simulation lists nodes. Default: 1. */
  readonly count?: number | undefined;
  readonly simulation?: SimulationConfiguration | undefined;
  /** The programs of simulated images, by reference. */
  readonly programs?: ReadonlyMap<string, Program> | undefined;
  readonly logDirectory?: string | undefined;
}

/** Makes the nodes that a simulation lists, or a number of equal ones. */
export function simulatedNodes(env: Env, options: SimulatedNodesOptions): readonly NodeSetup[] {
  const { count = 1, simulation = {}, programs, logDirectory } = options;
  const rules = new Rules(simulation.containers);
  const systemInfo = machineInfo();
  const listed = simulation.nodes ?? [];
  return named(listed.length > 0 ? listed : [{ count }]).map(({ name, group }, index) =>
    simulatedNode(env, name, index, { programs, logDirectory, rules, group, systemInfo }),
  );
}

/** Returns the number of nodes that a simulation lists; undefined when it lists none. */
export function listedNodes({ nodes = [] }: SimulationConfiguration): number | undefined {
  return nodes.length === 0 ? undefined : nodes.reduce((sum, { count = 1 }) => sum + count, 0);
}

function named(
  groups: readonly NodeGroup[],
): readonly { readonly name: string; readonly group: NodeGroup }[] {
  return groups.flatMap((group) => {
    const { name = "node", count = 1 } = group;
    return Array.from({ length: count }, (_, i) => ({ name: `${name}-${i + 1}`, group }));
  });
}
