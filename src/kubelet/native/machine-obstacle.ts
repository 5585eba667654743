import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { initProgram } from "./init-program.ts";

/** Returns what this machine lacks for containers, whoever the user is; undefined when it has all. */
export function machineObstacle(): string | undefined {
  if (process.platform !== "linux") return "native containers need Linux";
  if (!existsSync(initProgram)) return `there is no init program for ${process.arch}`;
  const [major = 0, minor = 0] = release().split(".").map(Number);
  if (major < 5 || (major === 5 && minor < 12)) return "native containers need Linux 5.12 or later";
  if (!/\toverlay$/m.test(readFileSync("/proc/filesystems", "utf8"))) return "the kernel has no overlayfs";
  return undefined;
}
