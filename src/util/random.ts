import { randomFillSync } from "node:crypto";

/**
 * The only source of randomness for names, identifiers, jitter and choices. Production draws from the
 * operating system; the simulator passes `seededRandom`, so that a seed replays a run exactly. Keys and
 * certificates are made by the crypto libraries and never come from here.
 */
export interface Random {
  /** A float in [0, 1). */
  next(): number;
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  next: () => Buffer.from(draw(6)).readUIntBE(0, 6) / 2 ** 48,
  bytes: draw,
};

/**
 * Bytes are drawn in advance, because a call of the operating system costs as much as some thousand bytes.
 */
const pool = new Uint8Array(4096);
let drawn = pool.length;

/** Each byte of the pool is used once, and wiped from it. */
function draw(count: number): Uint8Array {
  if (count > pool.length) return randomFillSync(new Uint8Array(count));
  if (drawn + count > pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const bytes = pool.slice(drawn, drawn + count);
  pool.fill(0, drawn, (drawn += count));
  return bytes;
}

/** xoshiro128** seeded through splitmix32: small, fast, and equal on every machine. */
export function seededRandom(seed: number): Random {
  let mix = seed >>> 0;
  const splitmix = () => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  const state = Uint32Array.of(splitmix(), splitmix(), splitmix(), splitmix());
  const word = () => {
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = c ^ a;
    const last = d ^ b;
    state[1] = b ^ shifted;
    state[0] = a ^ last;
    state[2] = shifted ^ (b << 9);
    state[3] = (last << 11) | (last >>> 21);
    return result;
  };
  return {
    next: () => word() / 2 ** 32,
    bytes: (count) => Uint8Array.from({ length: count }, () => word() >>> 24),
  };
}

/** Returns an integer in [0, bound). */
export function randomInt(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

/** Returns a version 4 UUID (RFC 9562). */
export function uuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Kubernetes' alphabet for generated names: no vowels, no look-alikes (apimachinery `util/rand`). */
export const safeAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Returns the suffix of a generated name, by default of five characters. */
export function nameSuffix(random: Random, length = 5): string {
  let suffix = "";
  for (let i = 0; i < length; i++) suffix += safeAlphabet[randomInt(random, safeAlphabet.length)];
  return suffix;
}
