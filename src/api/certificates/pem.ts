/** A block of PEM (RFC 7468). */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const block =
  /-----BEGIN ([^\n]*)-----[ \t]*\r?\n((?:[^\n:]+:[^\n]*\n)*)\s*([A-Za-z0-9+/=\s]*?)-----END \1-----/g;

/** The blocks of a text in Base64; what stands between them counts for nothing. */
export function pemBlocks(base64: string): readonly PemBlock[] {
  const text = Buffer.from(base64, "base64").toString("latin1");
  return Array.from(text.matchAll(block), ([, type = "", headers = "", body = ""]) => ({
    type,
    hasHeaders: headers !== "",
    bytes: Buffer.from(body, "base64"),
  }));
}
