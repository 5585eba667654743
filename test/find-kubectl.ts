import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const cached = join(import.meta.dirname, "../node_modules/.cache/knarr/kubectl");

/**
 * Finds kubectl on this machine; undefined when there is none of the version. It looks for `kubectl.<version>` on the
 * PATH, then beside the real `kubectl` that a link on the PATH points to, then for another binary of this version.
 * Without a version, any `kubectl` on the PATH is right.
 */
export function findKubectl(version?: string): string | undefined {
  const folders = listOf("PATH");
  const linked = folders
    .map((folder) => join(folder, "kubectl"))
    .filter((path) => existsSync(path))
    .map((path) => dirname(realpathSync(path)));
  const name = version === undefined ? "kubectl" : `kubectl.${version}`;
  const found = [...folders, ...linked].map((folder) => join(folder, name)).find((path) => existsSync(path));
  return found ?? (version === undefined ? undefined : furtherBinaries().get(version));
}

let further: ReadonlyMap<string, string> | undefined;

/** The binaries that `KNARR_TEST_KUBECTL` lists, and the one in the cache, by minor version. */
function furtherBinaries(): ReadonlyMap<string, string> {
  further ??= new Map(
    [...listOf("KNARR_TEST_KUBECTL"), cached]
      .filter((path) => existsSync(path))
      .map((path) => [versionOf(path), path] as const)
      .reverse(),
  );
  return further;
}

function versionOf(path: string): string {
  const { stdout } = spawnSync(path, ["version", "--client", "--output=json"], { encoding: "utf8" });
  return /"gitVersion": "v(\d+\.\d+)/.exec(stdout)?.[1] ?? "";
}

function listOf(variable: string): readonly string[] {
  return (process.env[variable] ?? "").split(delimiter).filter((path) => path !== "");
}
