import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * The program `kubectl.<version>`, on the PATH or beside the real `kubectl` that a link on the PATH leads to;
 * undefined when this machine does not have it. Without a version: whatever `kubectl` is.
 */
export function findKubectl(version?: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const linked = folders
    .map((folder) => join(folder, "kubectl"))
    .filter((path) => existsSync(path))
    .map((path) => dirname(realpathSync(path)));
  const name = version === undefined ? "kubectl" : `kubectl.${version}`;
  return [...folders, ...linked].map((folder) => join(folder, name)).find((path) => existsSync(path));
}
