import { execFile } from "node:child_process";

/** More than any list of a node's directories makes du print. */
const maxOutputBytes = 16 << 20;

/**
 * Bytes on disk of each directory; those that are not there are missing. A process of its own counts, so that a
 * volume of a million files does not hold up the node agent; it follows no links and enters no other file system.
 */
export async function diskUsage(directories: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (directories.length === 0) return new Map();
  const args = ["-n", "19", "du", "-s", "-k", "-x", "--", ...directories];
  const output = await new Promise<string>((resolve) => {
    // Files that vanish meanwhile make it fail, with all sums printed none the less.
    execFile("nice", args, { encoding: "utf8", maxBuffer: maxOutputBytes }, (_, stdout) => resolve(stdout));
  });
  const sizes = new Map<string, number>();
  for (const line of output.split("\n")) {
    const [kibibytes = "", path] = line.split("\t");
    if (path !== undefined) sizes.set(path, Number(kibibytes) * 1024);
  }
  return sizes;
}
