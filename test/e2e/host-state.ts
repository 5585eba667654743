import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Lists what a cluster could leave on the machine: mounts, links, routes, rules, cgroups and processes. */
export function hostState(): Readonly<Record<string, readonly string[]>> {
  const lines = (text: string) => text.split("\n").filter((line) => line !== "");
  return {
    mounts: lines(readFileSync("/proc/self/mounts", "utf8")).filter((line) => line.includes("knarr")),
    links: lines(execFileSync("ip", ["-o", "link"], { encoding: "utf8" })).map(
      (line) => line.split(": ")[1] ?? "",
    ),
    routes: lines(execFileSync("ip", ["route"], { encoding: "utf8" })),
    tables: lines(nftTables()),
    cgroups: cgroups("/sys/fs/cgroup"),
    processes: readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => commandLine(pid))
      .filter((command) => command.includes("knarr-e2e")),
  };
}

function nftTables(): string {
  const { stdout, error } = spawnSync("nft", ["list", "tables"], { encoding: "utf8" });
  return error === undefined ? stdout : "";
}

function cgroups(root: string): string[] {
  if (!existsSync(root)) return [];
  const controllers = [root, ...readdirSync(root).map((name) => join(root, name))];
  return controllers.flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => name.startsWith("knarr"))
        .map((name) => join(folder, name));
    } catch {
      return [];
    }
  });
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
