import { crc32 } from "node:zlib";
import type { Row } from "./rows.ts";

/**
 * Returns the CRC-32 of a row's content: it detects a flipped byte, and every burst of up to 32 flipped bits.
 */
export function rowChecksum({ revision, created, time, key, value }: Row): number {
  const head = crc32(`${revision} ${created} ${time} ${value?.length ?? "deleted"} ${key}`);
  return value === undefined ? head : crc32(value, head);
}

export function compactedChecksum(compacted: number): number {
  return crc32(`compacted ${compacted}`);
}
