import ipaddr from "ipaddr.js";
import { spendOnText } from "../effort.ts";
import { quoted } from "../../util/go-quote.ts";
import { opaque } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, CelObject, noSuchOverload, type Value } from "../values.ts";
import { parseAddress } from "../../util/ip-text.ts";

export const ipType = opaque<Ip>("net.IP");
export const cidrType = opaque<Cidr>("net.CIDR");

/** An address of either IP family. */
export class Ip extends CelObject {
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  override get type(): Type {
    return ipType;
  }

  override get size(): number {
    return this.bytes.length;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Ip ? this.text === other.text : noSuchOverload;
  }

  get isV4(): boolean {
    return this.bytes.length === 4;
  }

  /** The canonical form (RFC 5952). */
  get text(): string {
    return this.isV4 ? this.bytes.join(".") : new ipaddr.IPv6([...this.bytes]).toRFC5952String();
  }

  /** The address with all bits after the first `bits` set to zero. */
  masked(bits: number): Ip {
    const kept = (index: number) => 0xff00 >> Math.max(0, Math.min(8, bits - index * 8));
    return new Ip(this.bytes.map((byte, i) => byte & kept(i) & 0xff));
  }

  get isLoopback(): boolean {
    return this.isV4 ? this.bytes[0] === 127 : this.text === "::1";
  }

  get isUnspecified(): boolean {
    return this.bytes.every((byte) => byte === 0);
  }

  get isLinkLocalUnicast(): boolean {
    const [first = 0, second = 0] = this.bytes;
    return this.isV4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
  }

  get isLinkLocalMulticast(): boolean {
    const [first = 0, second = 0, third] = this.bytes;
    if (this.isV4) return first === 224 && second === 0 && third === 0;
    return first === 0xff && (second & 0x0f) === 2;
  }

  get isGlobalUnicast(): boolean {
    const [first = 0] = this.bytes;
    const isMulticast = this.isV4 ? (first & 0xf0) === 0xe0 : first === 0xff;
    const isBroadcast = this.isV4 && this.bytes.every((byte) => byte === 255);
    const isSpecial = this.isUnspecified || this.isLoopback || this.isLinkLocalUnicast;
    return !isSpecial && !isMulticast && !isBroadcast;
  }
}

/** A network, with the address as it was written. */
export class Cidr extends CelObject {
  readonly ip: Ip;
  readonly bits: number;

  constructor(ip: Ip, bits: number) {
    super();
    this.ip = ip;
    this.bits = bits;
  }

  override get type(): Type {
    return cidrType;
  }

  /** The length of the prefix in bytes. */
  override get size(): number {
    return Math.ceil(this.bits / 8);
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Cidr ? this.text === other.text : noSuchOverload;
  }

  get text(): string {
    return `${this.ip.text}/${this.bits}`;
  }

  contains(ip: Ip): boolean {
    if (ip.isV4 !== this.ip.isV4) return false;
    return ip.masked(this.bits).text === this.ip.masked(this.bits).text;
  }
}

const isMapped = ({ bytes }: Ip) =>
  bytes.length === 16 && bytes.slice(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 0xff));

/** Parses an address. Refuses IPv4-mapped addresses and zones. */
export function parseIp(text: string): Ip | CelError {
  spendOnText(text.length);
  const parsed = parseAddress(text);
  if (typeof parsed === "string") {
    return new CelError(`IP Address ${quoted(text)} parse error during conversion from string: ${parsed}`);
  }
  if (parsed.zone !== "") return new CelError(`IP address ${quoted(text)} with zone value is not allowed`);
  const ip = new Ip(parsed.bytes);
  return isMapped(ip) ? new CelError(`IPv4-mapped IPv6 address ${quoted(text)} is not allowed`) : ip;
}

const conversion = "network address parse error during conversion from string";

/** Parses a network. Bits after the prefix may be set. */
export function parseCidr(text: string): Cidr | CelError {
  spendOnText(text.length);
  const slash = text.lastIndexOf("/");
  const wrong = (problem: string) =>
    new CelError(`${conversion}: ${conversion}: netip.ParsePrefix(${quoted(text)}): ${problem}`);
  if (slash < 0) return wrong("no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if (typeof parsed === "string") return wrong(parsed);
  if (parsed.zone !== "") return wrong("IPv6 zones cannot be present in a prefix");
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,17})$/.test(length)) return wrong(`bad bits after slash: ${quoted(length)}`);
  const bits = Number(length);
  if (bits > parsed.bytes.length * 8) return wrong("prefix length out of range");
  const ip = new Ip(parsed.bytes);
  if (!isMapped(ip)) return new Cidr(ip, bits);
  return new CelError(`${conversion}: IPv4-mapped IPv6 address ${quoted(text)} is not allowed`);
}
