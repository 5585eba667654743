import {
  AUTHORITATIVE_ANSWER,
  type Answer,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
} from "dns-packet";
import type { ZoneAnswer } from "./zone.ts";

/** Short as upstream's TTL, because Services change often. */
const ttl = 5;
/**
 * The least and greatest size of a UDP answer: for clients without EDNS (RFC 1035), and at most (DNS Flag Day
 * 2020).
 */
const udpLimit = { least: 512, most: 1232 } as const;
export const rcodes = { serverFailure: 2, nameError: 3 } as const;
const truncated = 0x0200;

/** Returns undefined for a malformed packet, on which dns-packet throws. */
export function parse(query: Buffer): Packet | undefined {
  try {
    return decode(query);
  } catch {
    return undefined;
  }
}

export function withLength(answer: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(answer.length);
  return Buffer.concat([length, answer]);
}

function base(query: Packet): Packet {
  const desired = (query.flags ?? 0) & 0x0100;
  return {
    type: "response",
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | desired,
    questions: query.questions ?? [],
  };
}

export function failure(query: Packet, rcode: number): Packet {
  const packet = base(query);
  return { ...packet, flags: (packet.flags ?? 0) | rcode };
}

export function reply(
  query: Packet,
  answer: Exclude<ZoneAnswer, { type: "none" }>,
  further: readonly Answer[] = [],
): Packet {
  if (answer.type === "missing") return failure(query, rcodes.nameError);
  return {
    ...base(query),
    answers: [...answer.records.map((record) => ({ ...record, ttl })), ...further],
    additionals: answer.additional.map((record) => ({ ...record, ttl })),
  };
}

/**
 * Replaces an answer that is too large for a datagram by an empty one with the truncation flag, so that the
 * client retries over TCP.
 */
export function truncate(query: Buffer, answer: Buffer): Buffer {
  if (answer.length <= udpLimit.least) return answer;
  const packet = parse(query);
  if (packet === undefined || answer.length <= acceptedLength(packet)) return answer;
  const empty = base(packet);
  return encode({ ...empty, flags: (empty.flags ?? 0) | truncated });
}

/** Returns the greatest answer that the client accepts in a datagram (EDNS, RFC 6891). */
function acceptedLength({ additionals = [] }: Packet): number {
  const said = additionals.find((record) => record.type === "OPT")?.udpPayloadSize ?? 0;
  return Math.min(Math.max(said, udpLimit.least), udpLimit.most);
}
