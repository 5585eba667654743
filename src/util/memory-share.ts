import { totalmem } from "node:os";

/**
 * Returns the greatest size of one server cache in bytes: a 128th of the machine's memory, from 32 to 512
 * MiB.
 */
export function memoryShare(): number {
  return Math.min(512 * 2 ** 20, Math.max(32 * 2 ** 20, totalmem() / 128));
}
