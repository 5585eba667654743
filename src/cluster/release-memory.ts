import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives back what starting has used. Most of it is garbage (parsed sources, bootstrap objects), but a heap that
 * nobody fills any more is not collected by itself, and a cluster may be at rest for hours.
 */
export function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}
