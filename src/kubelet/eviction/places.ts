import { join } from "node:path";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeContext } from "../node-context.ts";
import { podLogDirectory } from "../pod/sandbox-config.ts";
import type { SandboxStatus } from "../runtime.ts";
import type { DiskUsage } from "./plan.ts";

/** The directories that one Pod's usage is summed up from. */
export interface Places {
  readonly emptyDirs: ReadonlyMap<string, string>;
  readonly containers: ReadonlyMap<string, readonly string[]>;
  readonly other: readonly string[];
}

export function placesOf(node: NodeContext, pod: Pod, sandboxes: readonly SandboxStatus[]): Places {
  const logs = podLogDirectory(node, pod);
  const containers = new Map<string, readonly string[]>();
  // Oldest first, so that the newest incarnation's layer counts, as upstream. Logs of all incarnations
  // count.
  const incarnations = sandboxes.flatMap((sandbox) => sandbox.containers);
  for (const { id, name } of incarnations.toSorted((a, b) => a.attempt - b.attempt)) {
    const layer = node.runtime.writableLayer?.(id);
    containers.set(name, [join(logs, name), ...(layer === undefined ? [] : [layer])]);
  }
  return { containers, ...node.volumes.diskPlaces(pod) };
}

export function directoriesOf({ emptyDirs, containers, other }: Places): readonly string[] {
  return [...emptyDirs.values(), ...[...containers.values()].flat(), ...other];
}

/** Returns a Pod's usage from the sizes of directories. */
export function usageOf(places: Places, sizes: ReadonlyMap<string, number>): DiskUsage {
  const sum = (paths: readonly string[]) => paths.reduce((total, path) => total + (sizes.get(path) ?? 0), 0);
  return {
    emptyDirs: new Map([...places.emptyDirs].map(([name, path]) => [name, sum([path])])),
    containers: new Map([...places.containers].map(([name, paths]) => [name, sum(paths)])),
    other: sum(places.other),
  };
}
