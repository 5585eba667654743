import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "../util/env.ts";
import { removeBuildRemains } from "./build-runner.ts";
import { kernelName, removeDataDirectory } from "./data-directory.ts";
import { openNodes } from "./local-nodes.ts";
import { withdrawKubeconfig } from "./publish.ts";
import { chooseRanges } from "./ranges.ts";
import { endNamespaces } from "./rootless/namespaces.ts";
import { chooseRuntime } from "./runtimes.ts";

/** Removes the containers, data and context of a stopped cluster. The caller holds the cluster's lock. */
export async function removeStoppedCluster(env: Env, directory: string): Promise<void> {
  await removeBuildRemains(env, directory);
  const hasNative = existsSync(join(directory, "run"));
  if (hasNative || existsSync(join(directory, "cri"))) {
    const asked = hasNative ? "native" : "cri";
    const runtime = await chooseRuntime({ clock: env.clock, asked, directory, servesNetwork: true });
    const { podCIDR } = chooseRanges(directory);
    const nodes = await openNodes({
      env,
      directory,
      count: 1,
      runtime,
      podCIDR,
      kernelName: kernelName(directory),
    });
    await nodes.close({ cleanup: true });
  }
  await endNamespaces(directory);
  withdrawKubeconfig(directory);
  removeDataDirectory(directory);
}
