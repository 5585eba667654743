/** The usages of a key as a certificate states them. */
export interface KeyUsages {
  /** The bits of the extension KeyUsage (RFC 5280, 4.2.1.3): `digitalSignature` is 1, `nonRepudiation` is 2. */
  readonly bits: number;
  /** The object identifiers of the extension ExtendedKeyUsage, in Go's order. */
  readonly extended: readonly string[];
}

const bits: ReadonlyMap<string, number> = new Map([
  ["signing", 1],
  ["digital signature", 1],
  ["content commitment", 2],
  ["key encipherment", 4],
  ["data encipherment", 8],
  ["key agreement", 16],
  ["cert sign", 32],
  ["crl sign", 64],
  ["encipher only", 128],
  ["decipher only", 256],
]);

const extended: ReadonlyMap<string, string> = new Map([
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
]);

/**
 * Translates the usages of a request (upstream `authority/policies.go`).
 * @throws RangeError for an unknown usage, which the API server refuses before
 */
export function keyUsagesOf(usages: readonly string[]): KeyUsages {
  const unknown = usages.filter((usage) => !bits.has(usage) && !extended.has(usage));
  if (unknown.length > 0) throw new RangeError(`unrecognized usage values: ${JSON.stringify(unknown)}`);
  const wanted = new Set(usages.map((usage) => extended.get(usage)));
  return {
    bits: usages.reduce((sum, usage) => sum | (bits.get(usage) ?? 0), 0),
    extended: [...new Set(extended.values())].filter((identifier) => wanted.has(identifier)),
  };
}
