import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Env } from "../../util/env.ts";
import {
  RuntimeError,
  type ImageLayers,
  type ImageService,
  type ImageStatus,
  type RegistryCredentials,
} from "../runtime.ts";
import { packFolder, withVariables, type BuildOptions } from "./build.ts";
import { sha256 } from "./digest.ts";
import { hostFingerprint, hostImage, hostReference } from "./host-image.ts";
import { ImageRecords } from "./image-records.ts";
import { emptyImageConfig, formatImageConfig, parseImageConfig } from "./image.ts";
import type { ImageBind, ImageRecord, ResolvedImage } from "./image.ts";
import type { BuiltImage, ImageDetails } from "./image-parts.ts";
import { exportImage } from "./export-image.ts";
import { pushImage, type Push } from "./push-image.ts";
import { chainIds, LayerStore } from "./layer-store.ts";
import { digestName, parseReference, tagName, type ImageReference } from "./reference.ts";
import { registrySource, type Fetch } from "./registry.ts";
import { directorySource, plansInDirectory, type ImagePlan, type ImageSource } from "./source.ts";
import { unpackArchive } from "./unpack-archive.ts";
import { Workshops } from "./workshops.ts";
import { errorText } from "../../util/error-text.ts";

export interface ImageStoreOptions {
  /** Owned by the store; created when missing. */
  readonly directory: string;
  readonly env: Env;
  /** The HTTP client for registries. */
  readonly fetch?: Fetch;
}

/**
 * The images on this node. Records are small JSON files; images and containers share layers. Several
 * processes may open the same directory, and see each other's images.
 */
export class ImageStore implements ImageService {
  readonly #options: ImageStoreOptions;
  readonly #records: ImageRecords;
  readonly #layers: LayerStore;
  readonly #workshops: Workshops;
  /** Images in use by containers, by holder. */
  readonly #holds = new Map<string, ImageRecord>();
  /** Pulls in progress, by name and credentials: a second pull of the same image waits for the first. */
  readonly #pulls = new Map<string, Promise<ImageStatus>>();

  private constructor(options: ImageStoreOptions, records: ImageRecords, workshops: Workshops) {
    this.#options = options;
    this.#records = records;
    this.#workshops = workshops;
    this.#layers = new LayerStore(join(options.directory, "layers"), workshops.directory, options.env.random);
  }

  /** Reads the records, and removes the unfinished work of processes that have ended. */
  static async open(options: ImageStoreOptions): Promise<ImageStore> {
    const { directory, env } = options;
    await mkdir(join(directory, "layers"), { recursive: true, mode: 0o700 });
    const records = await ImageRecords.open(join(directory, "images"));
    return new ImageStore(options, records, await Workshops.open(join(directory, "tmp"), env.random));
  }

  async pull(reference: string, _pod?: unknown, credentials?: RegistryCredentials): Promise<ImageStatus> {
    const parsed = parseReference(reference);
    const name = parsed.digest ?? tagName(parsed);
    const key = credentials === undefined ? name : JSON.stringify([name, credentials]);
    let pull = this.#pulls.get(key);
    if (pull === undefined) {
      pull = this.#pull(reference, parsed, credentials).finally(() => this.#pulls.delete(key));
      this.#pulls.set(key, pull);
    }
    return pull;
  }

  async inspect(reference: string): Promise<ImageStatus | undefined> {
    const record = await this.#find(reference);
    return record && status(record);
  }

  async list(): Promise<readonly ImageStatus[]> {
    await this.#records.refresh();
    return this.#records.values().map(status);
  }

  /** Removes the name. An image is deleted with its last tag, and a layer with its last user. */
  async remove(reference: string): Promise<void> {
    const record = await this.#find(reference);
    if (record === undefined) return;
    const tags =
      reference === record.id ? [] : record.tags.filter((tag) => tag !== tagName(parseReference(reference)));
    if (tags.length > 0) return this.#records.save({ ...record, tags });
    await this.#records.delete(record.id);
    await this.#prune();
  }

  /**
   * Returns the image and layers of `reference`, a name or an image ID; undefined when the image is not on
   * this node.
   */
  async resolve(reference: string): Promise<ResolvedImage | undefined> {
    const record = await this.#find(reference);
    if (record === undefined) return undefined;
    return {
      id: record.id,
      config: record.config,
      layersDirectory: this.#layers.directory,
      layers: record.chain.map((id) => this.#layers.name(id)).reverse(),
      binds: record.binds,
    };
  }

  async layers(reference: string, holder: string): Promise<ImageLayers | undefined> {
    const record = await this.#find(reference);
    if (record === undefined) return undefined;
    const own = `${holder}/${record.id}`;
    this.#holds.set(own, record);
    const names = record.chain.map((id) => this.#layers.name(id)).reverse();
    return { id: record.id, holder: own, directory: this.#layers.directory, names };
  }

  /** Keeps an image's layers until `release`, even when the image loses its names. Idempotent. */
  hold(holder: string, imageId: string): void {
    const record = this.#records.get(imageId);
    if (record !== undefined) this.#holds.set(holder, record);
  }

  async release(holder: string): Promise<void> {
    const record = this.#holds.get(holder);
    if (record === undefined) return;
    this.#holds.delete(holder);
    if (this.#records.get(record.id) === undefined) await this.#prune();
  }

  /** Imports every image of an OCI layout or `docker save` archive, plain, gzip or zstd. */
  async importArchive(archive: string | Readable): Promise<readonly ImageStatus[]> {
    return this.#workshops.use(async (workshop) => {
      await unpackArchive(typeof archive === "string" ? createReadStream(archive) : archive, workshop);
      return this.importDirectory(workshop);
    });
  }

  /** Imports every image of an OCI layout directory. */
  async importDirectory(directory: string): Promise<readonly ImageStatus[]> {
    const source = directorySource(directory);
    const imported: ImageStatus[] = [];
    for (const plan of await plansInDirectory(source)) imported.push(await this.#import(source, plan));
    return imported;
  }

  /** Returns an image of this node by name or ID, and the parts that an export or a build on it needs. */
  async details(reference: string): Promise<ImageDetails | undefined> {
    const record = await this.#find(reference);
    if (record === undefined) return undefined;
    const names = record.chain.map((id) => this.#layers.name(id));
    return {
      record,
      config: await this.#records.config(record.id),
      layers: names.map((name) => join(this.#layers.directory, name)),
      archives: () => Promise.all(names.map((name) => this.#layers.archive(name))),
    };
  }

  /**
   * Sends an image to the registry of its name. Resolves to the manifest's digest. `progress` is called for each
   * layer. @throws Error
   */
  async push(
    reference: string,
    credentials: RegistryCredentials | undefined,
    progress: Push["progress"],
  ): Promise<string> {
    const details = await this.details(reference);
    if (details === undefined) throw new Error("there is no such image");
    const image = await exportImage(details);
    const target = { reference: parseReference(reference), fetch: this.#options.fetch ?? fetch, credentials };
    return this.#workshops.use((directory) => pushImage({ ...target, image, directory, progress }));
  }

  /** Gives an image of this node another name. @throws RuntimeError ImageNotFound, InvalidImageName */
  async tag(reference: string, name: string): Promise<void> {
    const record = await this.#find(reference);
    if (record === undefined)
      throw new RuntimeError("ImageNotFound", `Cannot tag ${reference}: there is no such image`);
    await this.#records.tag(record.id, tagName(parseReference(name)));
  }

  /** Removes all images without a name, such as the steps of builds. Resolves to their number. */
  async prune(): Promise<number> {
    await this.#records.refresh();
    const nameless = this.#records.values().filter(({ tags, digests }) => tags.length + digests.length === 0);
    for (const { id } of nameless) await this.#records.delete(id);
    await this.#prune();
    return nameless.length;
  }

  /** Returns the ID of the image that a build step with this key had as its result. */
  async built(key: string): Promise<string | undefined> {
    await this.#records.refresh();
    return this.#records.values().find(({ buildKeys = [] }) => buildKeys.includes(key))?.id;
  }

  /** Calls `work` with a temporary directory, which also a crash does not leave behind for long. */
  withWorkshop<T>(work: (directory: string) => Promise<T>): Promise<T> {
    return this.#workshops.use(work);
  }

  /** Stores the result of a build step: the layers of an image of this node, and perhaps one more. */
  async commit({ config, below, layer, tags, buildKeys, binds }: BuiltImage): Promise<string> {
    const source = directorySource(layer?.directory ?? this.#layers.directory);
    const added = layer === undefined ? [] : [{ name: layer.file, digest: layer.digest, size: layer.size }];
    const layers = [...below.map((name) => ({ name })), ...added];
    const { id } = await this.#import(source, { config, layers, tags }, binds, [], buildKeys);
    return id;
  }

  /** Builds an image from a folder: one layer, on top of `base` if given. */
  async build(options: BuildOptions): Promise<ImageStatus> {
    const base = options.base === undefined ? undefined : await this.#findBase(options.base);
    if (options.base !== undefined && base === undefined) {
      throw new RuntimeError(
        "ImageNotFound",
        `Cannot build ${options.tag}: ${options.base} is not on this node`,
      );
    }
    const below = base === undefined ? [] : await this.#records.diffIds(base.id);
    const before = base?.config ?? emptyImageConfig;
    const config = { ...before, ...options.config, env: withVariables(before.env, options.env ?? []) };
    return this.#workshops.use((workshop) =>
      this.#buildLayer(
        workshop,
        options.folder,
        below,
        config,
        tagName(parseReference(options.tag)),
        base?.binds,
      ),
    );
  }

  async #pull(
    reference: string,
    parsed: ImageReference,
    credentials: RegistryCredentials | undefined,
  ): Promise<ImageStatus> {
    if (tagName(parsed) === hostReference) return this.#makeHostImage();
    if (parsed.registry === "knarr.local") {
      const record = await this.#find(reference);
      if (record !== undefined) return status(record);
      throw new RuntimeError(
        "ErrImagePull",
        `Cannot pull ${reference}: knarr.local names images made on this node`,
      );
    }
    try {
      const registry = registrySource(parsed, this.#options.fetch ?? fetch, credentials);
      const plan = await registry.plan();
      const tags = parsed.tag === undefined ? [] : [tagName(parsed)];
      return await this.#import(
        registry.source,
        { ...plan, tags },
        [],
        [digestName(parsed, plan.digest ?? "")],
      );
    } catch (error) {
      const why = errorText(error);
      throw new RuntimeError("ErrImagePull", `Cannot pull ${reference}: ${why}`, error);
    }
  }

  /**
   * Rebuilds the image only after its inputs changed, because `imagePullPolicy: Always` calls this at each
   * start.
   */
  async #makeHostImage(): Promise<ImageStatus> {
    // Computed before the copies: the next call sees a change during them.
    const madeFrom = hostFingerprint();
    const present = await this.#find(hostReference);
    if (present?.madeFrom === madeFrom) return status(present);
    return this.#workshops.use(async (workshop) => {
      const { config, binds } = await hostImage(workshop);
      const { id } = await this.#buildLayer(
        workshop,
        join(workshop, "root"),
        [],
        config,
        hostReference,
        binds,
      );
      const made = this.#records.get(id);
      if (made === undefined) throw new RuntimeError("ErrImagePull", `Cannot make ${hostReference}: removed`);
      await this.#records.save({ ...made, madeFrom });
      return status(made);
    });
  }

  async #buildLayer(
    workshop: string,
    folder: string,
    below: readonly string[],
    config: ResolvedImage["config"],
    tag: string,
    binds: readonly ImageBind[] = [],
  ): Promise<ImageStatus> {
    const packed = await packFolder(folder, join(workshop, "layer.tar"));
    const plan = {
      config: formatImageConfig(config, [...below, packed.digest]),
      layers: [...below.map((name) => ({ name })), { name: "layer.tar", ...packed }],
      tags: [tag],
    };
    return this.#import(directorySource(workshop), plan, binds);
  }

  async #import(
    source: ImageSource,
    plan: ImagePlan,
    binds: readonly ImageBind[] = [],
    digests: readonly string[] = [],
    buildKeys: readonly string[] = [],
  ): Promise<ImageStatus> {
    const { config, diffIds } = parseImageConfig(plan.config);
    if (diffIds.length !== plan.layers.length)
      throw new Error("Cannot import: layers and diff_ids differ in number");
    const chain = chainIds(diffIds);
    const names = chain.map((id) => this.#layers.name(id));
    const tags = plan.tags.map((tag) => tagName(parseReference(tag)));
    return this.#workshops.claim(names, async () => {
      for (const [index, layer] of plan.layers.entries()) {
        const [chainId, diffId] = [chain[index] ?? "", diffIds[index] ?? ""];
        await this.#layers.add(chainId, names.slice(0, index), diffId, layer, () => source.open(layer));
      }
      const sizes = await Promise.all(names.map((name) => this.#layers.size(name)));
      const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
      const image = { id: sha256(plan.config), config, chain, binds, tags, digests, sizeBytes, buildKeys };
      return status(await this.#records.put(image, plan.config));
    });
  }

  /** Claims are read before the records: an import that completes in between shows in the records. */
  async #prune(): Promise<void> {
    const claimed = await this.#workshops.claimed();
    await this.#records.refresh();
    const records = [...this.#records.values(), ...this.#holds.values()];
    const used = records.flatMap((record) => record.chain.map((id) => this.#layers.name(id)));
    await this.#layers.prune(new Set([...claimed, ...used]));
  }

  /** Builds the host image, which no registry has, when it is missing. */
  async #findBase(reference: string): Promise<ImageRecord | undefined> {
    const record = await this.#find(reference);
    if (record !== undefined || tagName(parseReference(reference)) !== hostReference) return record;
    await this.pull(reference);
    return this.#records.find(reference);
  }

  /** Finds an image by name or ID in the present records on disk. */
  async #find(reference: string): Promise<ImageRecord | undefined> {
    await this.#records.refresh();
    return this.#records.find(reference);
  }
}

function status(record: ImageRecord): ImageStatus {
  const { id, tags, digests, sizeBytes } = record;
  return { id, tags, digests, sizeBytes };
}
