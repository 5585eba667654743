import { fstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { openTrusted, withDescriptors } from "../safe-path/descriptors.ts";
import { codeOf, type InsideOptions, openInside } from "../safe-path/open-inside.ts";
import { RuntimeError } from "../runtime.ts";

/** The check of each type, and the type's name in errors. */
const kinds: ReadonlyMap<string, readonly [(stat: Stats) => boolean, string]> = new Map([
  ["DirectoryOrCreate", [(stat) => stat.isDirectory(), "a directory"]],
  ["Directory", [(stat) => stat.isDirectory(), "a directory"]],
  ["FileOrCreate", [(stat) => stat.isFile(), "a file"]],
  ["File", [(stat) => stat.isFile(), "a file"]],
  ["Socket", [(stat) => stat.isSocket(), "a socket file"]],
  ["CharDevice", [(stat) => stat.isCharacterDevice(), "a character device"]],
  ["BlockDevice", [(stat) => stat.isBlockDevice(), "a block device"]],
]);

const creations: ReadonlyMap<string, InsideOptions["create"]> = new Map([
  // Without a type nothing is checked, and the runtime creates a missing directory.
  ["", { last: "directory", mode: 0o755 }],
  ["DirectoryOrCreate", { last: "directory", mode: 0o755 }],
  ["FileOrCreate", { last: "file", mode: 0o755 }],
]);

/**
 * Creates or checks a host path according to its type (volume/hostpath). Links are followed, because the path
 * is the host's.
 */
export function checkHostPath(path: string, type: string): string {
  const [fits, what] = kinds.get(type) ?? [() => true, ""];
  const refuse = () =>
    new RuntimeError("CreateContainerConfigError", `hostPath type check failed: ${path} is not ${what}`);
  withDescriptors((open) => {
    const root = open.add(openTrusted("/"));
    const create = creations.get(type);
    const stat = (at: string, options: InsideOptions): Stats | undefined => {
      try {
        return fstatSync(open.add(openInside(root, at, options)));
      } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
        throw error;
      }
    };
    // A file is created only in an existing directory.
    if (type === "FileOrCreate" && stat(dirname(path), { scope: "root" }) === undefined) throw refuse();
    const found = stat(path, create === undefined ? { scope: "root" } : { scope: "root", create });
    if (found === undefined || !fits(found)) throw refuse();
  });
  return path;
}
