/** One change on disk. */
export interface Row {
  readonly revision: number;
  /** 0 in a delete. */
  readonly created: number;
  /** Wall time of the commit in milliseconds. */
  readonly time: number;
  readonly key: string;
  /** The value that readers see, with the revision stamped in; undefined in a delete. */
  readonly value: Uint8Array | undefined;
}

/*
 * Rows cross the thread boundary in one transferred buffer, because cloning an object for each costs ten times as
 * much. A row is: revision, created, time (float64 each), length of key and of value (int32 each, -1 for a
 * delete), then the key in UTF-8 and the value. Big-endian, unaligned.
 */
const headerBytes = 32;

export function packRows(rows: readonly Row[]): ArrayBuffer {
  let size = 0;
  for (const row of rows) size += packedSize(row);
  const buffer = Buffer.from(new ArrayBuffer(size));
  let offset = 0;
  for (const { revision, created, time, key, value } of rows) {
    const keyLength = buffer.write(key, offset + headerBytes);
    buffer.writeDoubleBE(revision, offset);
    buffer.writeDoubleBE(created, offset + 8);
    buffer.writeDoubleBE(time, offset + 16);
    buffer.writeInt32BE(keyLength, offset + 24);
    buffer.writeInt32BE(value?.length ?? -1, offset + 28);
    offset += headerBytes + keyLength;
    if (value === undefined) continue;
    buffer.set(value, offset);
    offset += value.length;
  }
  return buffer.buffer;
}

export function packedSize(row: Row): number {
  return headerBytes + Buffer.byteLength(row.key) + (row.value?.length ?? 0);
}

/**
 * Yields rows whose values are views of the packed buffer: a value that outlives the buffer must be copied.
 */
export function* unpackRows(packed: ArrayBuffer): Generator<Row> {
  const buffer = Buffer.from(packed);
  let offset = 0;
  while (offset < buffer.length) {
    const keyLength = buffer.readInt32BE(offset + 24);
    const valueLength = buffer.readInt32BE(offset + 28);
    const keyStart = offset + headerBytes;
    const keyEnd = keyStart + keyLength;
    const end = keyEnd + Math.max(valueLength, 0);
    yield {
      revision: buffer.readDoubleBE(offset),
      created: buffer.readDoubleBE(offset + 8),
      time: buffer.readDoubleBE(offset + 16),
      key: buffer.toString("utf8", keyStart, keyEnd),
      value: valueLength < 0 ? undefined : new Uint8Array(packed, keyEnd, valueLength),
    };
    offset = end;
  }
}
