import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Random } from "../../util/random.ts";
import { nameSuffix } from "../../util/random.ts";
import { decompressed } from "./decompress.ts";
import { DigestMeter, sha256 } from "./digest.ts";
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

/**
 * Unpacked layers, one directory each. One rename makes a layer visible, complete and verified. It is
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
    open: () => Promise<Readable>,
  ): Promise<void> {
    if (await this.has(name)) return;
    const workshop = join(this.#temporary, `layer-${name}-${nameSuffix(this.#random)}`);
    await mkdir(workshop, { recursive: true, mode: 0o755 });
    try {
      const sent = new DigestMeter();
      const plain = new DigestMeter();
      const source = await open();
      const feeding = pipeline(source, sent);
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
      await rename(workshop, join(this.directory, name)).catch(async (error: unknown) => {
        if (!(await this.has(name))) throw error; // Otherwise another process was faster, with the same content.
      });
    } finally {
      await rm(workshop, { recursive: true, force: true });
    }
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
      const name = file.replace(/\.size$/, "");
      if (used.has(name) || this.#pending.has(name)) continue;
      await rm(join(this.directory, file), { recursive: true, force: true });
    }
  }
}

function verify(descriptor: LayerDescriptor, sent: DigestMeter): void {
  if (descriptor.size !== undefined && descriptor.size !== sent.bytes) {
    throw new Error(`Cannot use layer ${descriptor.name}: ${sent.bytes} bytes instead of ${descriptor.size}`);
  }
  if (descriptor.digest !== undefined && descriptor.digest !== sent.digest) {
    throw new Error(`Cannot use layer ${descriptor.name}: its digest is ${sent.digest}`);
  }
}
