import { createHash } from "node:crypto";
import {
  access,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Random } from "../../util/random.ts";
import { nameSuffix } from "../../util/random.ts";
import { decompressed } from "./decompress.ts";
import { DigestMeter, sha256 } from "./digest.ts";
import { asRecord, text } from "./image.ts";
import { unpackLayer } from "./unpack-layer.ts";

/** A layer in a manifest. Digest and size are of the transferred bytes, and are checked when present. */
export interface LayerDescriptor {
  readonly name: string;
  readonly digest?: string;
  readonly size?: number;
}

/**
 * Returns the ID of each layer together with all layers below (OCI image-spec, `config.md`, "Layer ChainID").
 */
export function chainIds(diffIds: readonly string[]): readonly string[] {
  let chain: string | undefined;
  return diffIds.map((diffId) => (chain = chain === undefined ? diffId : sha256(`${chain} ${diffId}`)));
}

/** A layer's archive as it came: plain, or compressed. */
export interface LayerArchive {
  readonly path: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Unpacked layers, one directory each, and beside each the archive that it came from, for pushes: an archive
 * that is made of a directory again would have another digest. One rename makes a layer visible, complete and verified. It is
 * read-only from then on, because any number of containers use it.
 */
export class LayerStore {
  readonly directory: string;
  readonly #temporary: string;
  readonly #random: Random;
  /** Layers being unpacked: two images that share a layer unpack it once. */
  readonly #pending = new Map<string, Promise<void>>();

  constructor(directory: string, temporary: string, random: Random) {
    this.directory = directory;
    this.#temporary = temporary;
    this.#random = random;
  }

  /** Returns a short name, because all layers of an image must fit into one page of mount options. */
  name(chainId: string): string {
    return createHash("sha256").update(chainId).digest("hex").slice(0, 24);
  }

  /**
   * Unpacks the last layer of `chain` unless it exists. `lower` holds the names of those below it, lowest
   * first.
   * @throws Error when digest, size or content differ from the manifest and configuration.
   */
  async add(
    chainId: string,
    lower: readonly string[],
    diffId: string,
    descriptor: LayerDescriptor,
    open: () => Promise<Readable>,
  ): Promise<void> {
    const name = this.name(chainId);
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    const work = this.#unpack(name, lower, diffId, descriptor, open).finally(() =>
      this.#pending.delete(name),
    );
    this.#pending.set(name, work);
    return work;
  }

  async #unpack(
    name: string,
    lower: readonly string[],
    diffId: string,
    descriptor: LayerDescriptor,
    openSource: () => Promise<Readable>,
  ): Promise<void> {
    if (await this.has(name)) return;
    const workshop = join(this.#temporary, `layer-${name}-${nameSuffix(this.#random)}`);
    await mkdir(workshop, { recursive: true, mode: 0o755 });
    try {
      const sent = new DigestMeter();
      const plain = new DigestMeter();
      const source = await openSource();
      const archive = await open(`${workshop}.blob`, "wx", 0o600);
      const feeding = pipeline(source, recordInto(archive), sent).finally(() => archive.close());
      feeding.catch(() => {}); // An error also destroys `sent`, and so reaches the unpacking below.
      const feedingPlain = pipeline(await decompressed(sent), plain);
      feedingPlain.catch(() => {});
      const below = lower.map((layer) => join(this.directory, layer)).reverse();
      await unpackLayer(plain, workshop, below);
      await feeding;
      await feedingPlain;
      verify(descriptor, sent);
      if (plain.digest !== diffId)
        throw new Error(`Cannot use layer ${descriptor.name}: not the content of ${diffId}`);
      await writeFile(join(this.directory, `${name}.size`), String(plain.bytes), { mode: 0o600 });
      const facts = JSON.stringify({ digest: sent.digest, size: sent.bytes });
      await writeFile(join(this.directory, `${name}.json`), facts, { mode: 0o600 });
      await rename(`${workshop}.blob`, join(this.directory, `${name}.blob`));
      await rename(workshop, join(this.directory, name)).catch(async (error: unknown) => {
        if (!(await this.has(name))) throw error; // Otherwise another process was faster, with the same content.
      });
    } finally {
      await rm(workshop, { recursive: true, force: true });
      await rm(`${workshop}.blob`, { force: true });
    }
  }

  /** Returns the archive of a layer. @throws Error if the layer was made by a version that did not keep it */
  async archive(name: string): Promise<LayerArchive> {
    const json = await readFile(join(this.directory, `${name}.json`), "utf8").catch(() => undefined);
    if (json === undefined)
      throw new Error(
        "Cannot read a layer's archive: it was not kept; remove the image, and pull or build it again",
      );
    const { digest, size } = asRecord(JSON.parse(json));
    return { path: join(this.directory, `${name}.blob`), digest: text(digest), size: Number(size) };
  }

  async has(name: string): Promise<boolean> {
    return access(join(this.directory, name)).then(
      () => true,
      () => false,
    );
  }

  /** Returns the size of the layer's uncompressed archive in bytes. */
  async size(name: string): Promise<number> {
    return Number(await readFile(join(this.directory, `${name}.size`), "utf8"));
  }

  /** Deletes every layer that is not in `used`. */
  async prune(used: ReadonlySet<string>): Promise<void> {
    for (const file of await readdir(this.directory)) {
      const name = file.replace(/\.(size|json|blob)$/, "");
      if (used.has(name) || this.#pending.has(name)) continue;
      await rm(join(this.directory, file), { recursive: true, force: true });
    }
  }
}

/** Returns a step of a pipeline that also writes what passes to a file. */
function recordInto(file: FileHandle) {
  return async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      await file.appendFile(chunk);
      yield chunk;
    }
  };
}

function verify(descriptor: LayerDescriptor, sent: DigestMeter): void {
  if (descriptor.size !== undefined && descriptor.size !== sent.bytes) {
    throw new Error(`Cannot use layer ${descriptor.name}: ${sent.bytes} bytes instead of ${descriptor.size}`);
  }
  if (descriptor.digest !== undefined && descriptor.digest !== sent.digest) {
    throw new Error(`Cannot use layer ${descriptor.name}: its digest is ${sent.digest}`);
  }
}
