import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseImageConfig, type ImageRecord } from "./image.ts";
import { digestName, parseReference, tagName } from "./reference.ts";

/** The images' records: `<hex>.json` beside the configuration they came with, `<hex>.config`. */
export class ImageRecords {
  readonly #directory: string;
  readonly #byId = new Map<string, ImageRecord>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string): Promise<ImageRecords> {
    const records = new ImageRecords(directory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const file of await readdir(directory)) {
      if (!file.endsWith(".json")) continue;
      const record = JSON.parse(await readFile(join(directory, file), "utf8")) as ImageRecord;
      records.#byId.set(record.id, record);
    }
    return records;
  }

  values(): readonly ImageRecord[] {
    return [...this.#byId.values()];
  }

  get(id: string): ImageRecord | undefined {
    return this.#byId.get(id);
  }

  /** By image ID, tag or manifest digest. @throws RuntimeError `InvalidImageName`. */
  find(reference: string): ImageRecord | undefined {
    const byId = this.#byId.get(reference);
    if (byId !== undefined) return byId;
    const parsed = parseReference(reference);
    const name = parsed.digest === undefined ? tagName(parsed) : digestName(parsed, parsed.digest);
    return this.values().find((record) => record.tags.includes(name) || record.digests.includes(name));
  }

  /**
   * Keeps an image. A tag names one image: it is taken from whoever had it, while names the image already has
   * are kept.
   */
  async put(image: ImageRecord, config: string): Promise<ImageRecord> {
    const known = this.#byId.get(image.id);
    const record = {
      ...image,
      tags: union(known?.tags ?? [], image.tags),
      digests: union(known?.digests ?? [], image.digests),
    };
    for (const other of this.values()) {
      const tags = other.tags.filter((tag) => !record.tags.includes(tag));
      if (other.id !== record.id && tags.length < other.tags.length) await this.save({ ...other, tags });
    }
    await writeFile(this.#path(record.id, "config"), config, { mode: 0o600 });
    await this.save(record);
    return record;
  }

  async save(record: ImageRecord): Promise<void> {
    this.#byId.set(record.id, record);
    const file = this.#path(record.id, "json");
    await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async delete(id: string): Promise<void> {
    this.#byId.delete(id);
    await rm(this.#path(id, "json"), { force: true });
    await rm(this.#path(id, "config"), { force: true });
  }

  /** Digests of the image's uncompressed layers, lowest first. */
  async diffIds(id: string): Promise<readonly string[]> {
    return parseImageConfig(await readFile(this.#path(id, "config"), "utf8")).diffIds;
  }

  #path(id: string, kind: "json" | "config"): string {
    return join(this.#directory, `${id.slice("sha256:".length)}.${kind}`);
  }
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
