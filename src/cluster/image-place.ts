import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../cli/flags.ts";
import { readRunning } from "./running.ts";
import { clusterPlace, stateHome } from "./state-directory.ts";

/**
 * Finds the cluster whose images a command means. Without a flag, that is the cluster in `./.knarr`; else the one of
 * `KUBECONFIG`; else the only one that runs, in a folder above or by name; else `./.knarr`, where one may be made later.
 * @throws UsageError when several run
 */
export async function imagePlace(flags: Parameters<typeof clusterPlace>[0]): Promise<string> {
  const { directory } = clusterPlace(flags);
  if (flags.name !== undefined || flags["data-dir"] !== undefined || existsSync(directory)) return directory;
  const fromConfig = process.env["KUBECONFIG"] ?? "";
  if (fromConfig !== "" && (await isRunning(dirname(resolve(fromConfig)))))
    return dirname(resolve(fromConfig));
  const running: string[] = [];
  for (const candidate of [...above(process.cwd()), ...named()])
    if (await isRunning(candidate)) running.push(candidate);
  const [only, ...others] = running;
  if (only === undefined) return directory;
  if (others.length > 0)
    throw new UsageError(`several clusters run: choose one with --data-dir: ${running.join(", ")}`);
  return only;
}

/** @throws Error when the cluster that runs there does not take its containers from Knarr's images */
export async function checkImagesAreUsed(directory: string): Promise<void> {
  const runtime = (await readRunning(directory).catch(() => undefined))?.ready?.runtime;
  if (runtime === "simulated")
    throw new Error(
      `The nodes of the cluster in ${directory} are simulated: every image is on every node, and none runs. Real containers need root on Linux: knarr up --runtime native`,
    );
  if (runtime === "cri")
    throw new Error(
      `The containers of the cluster in ${directory} are made by a CRI runtime, which has images of its own: use its tools, such as "ctr -n k8s.io images import"`,
    );
}

async function isRunning(directory: string): Promise<boolean> {
  return (await readRunning(directory).catch(() => undefined)) !== undefined;
}

function above(directory: string): readonly string[] {
  const parent = dirname(directory);
  return parent === directory ? [] : [join(parent, ".knarr"), ...above(parent)];
}

function named(): readonly string[] {
  try {
    return readdirSync(stateHome()).map((name) => join(stateHome(), name));
  } catch {
    return []; // There are none.
  }
}
