import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";

const gzipMagic = Buffer.from([0x1f, 0x8b]);
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * Returns the plain bytes of a gzip, zstd or plain stream. The first bytes decide, because media types are
 * unreliable.
 */
export async function decompressed(source: Readable): Promise<Readable> {
  const chunks = source.iterator();
  let head = Buffer.alloc(0);
  while (head.length < zstdMagic.length) {
    const next = await chunks.next();
    if (next.done) break;
    const chunk: Buffer = next.value;
    head = Buffer.concat([head, chunk]);
  }
  const whole = Readable.from(
    (async function* () {
      yield head;
      yield* chunks;
    })(),
    { objectMode: false },
  );
  if (startsWith(head, gzipMagic)) return through(whole, createGunzip());
  if (startsWith(head, zstdMagic)) return through(whole, createZstdDecompress());
  return whole;
}

/** `pipeline` passes an error of either stream to the reader of `decoder`. */
function through(source: Readable, decoder: ReturnType<typeof createGunzip>): Readable {
  return pipeline(source, decoder, () => {});
}

function startsWith(data: Buffer, magic: Buffer): boolean {
  return data.subarray(0, magic.length).equals(magic);
}
