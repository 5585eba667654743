import { totalmem } from "node:os";

/** The memory that one cache of the server may take, in bytes: a 128th of the machine's, from 32 to 512 MiB. */
export function memoryShare(): number {
  return Math.min(512 * 2 ** 20, Math.max(32 * 2 ** 20, totalmem() / 128));
}
