import { pipeline, Readable, Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";

const gzipMagic = Buffer.from([0x1f, 0x8b]);
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** The plain bytes that any archive may have, and those for each compressed byte beyond them. */
const maxFreeBytes = 2 ** 30;
const maxRatio = 200;

/**
 * Returns the plain bytes of a gzip, zstd or plain stream. The first bytes decide, because media types are
 * unreliable. The stream fails once it is far larger than what it came from, so that a small archive cannot
 * fill the disk.
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
  let sent = 0;
  const whole = Readable.from(
    (async function* () {
      sent += head.length;
      yield head;
      for await (const chunk of chunks) {
        sent += chunk.length;
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
  if (startsWith(head, gzipMagic)) return through(whole, createGunzip(), () => sent);
  if (startsWith(head, zstdMagic)) return through(whole, createZstdDecompress(), () => sent);
  return whole;
}

/** `pipeline` passes an error of each stream to the reader of the last. */
function through(source: Readable, decoder: ReturnType<typeof createGunzip>, sent: () => number): Readable {
  let plain = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      plain += chunk.length;
      if (plain <= maxFreeBytes + maxRatio * sent()) return done(null, chunk);
      done(new Error(`Cannot unpack: ${sent()} bytes became more than ${plain}, which is too many`));
    },
  });
  return pipeline(source, decoder, guard, () => {});
}

function startsWith(data: Buffer, magic: Buffer): boolean {
  return data.subarray(0, magic.length).equals(magic);
}
