import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseImageConfig, type ImageRecord } from "./image.ts";
import { digestName, parseReference, tagName } from "./reference.ts";

/**
 * The images' records: `<hex>.json` beside the image's configuration, `<hex>.config`. The disk is
 * authoritative, because other processes change it; this is its state at the last `refresh` or change.
 */
export class ImageRecords {
  readonly #directory: string;
  #byId: ReadonlyMap<string, ImageRecord> = new Map();
  /** Settles with the latest read or write. Each waits for the one before, so that no read undoes a write. */
  #latest: Promise<unknown> = Promise.resolve();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string): Promise<ImageRecords> {
    const records = new ImageRecords(directory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await records.refresh();
    return records;
  }

  /** Reads the changes of other processes. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  values(): readonly ImageRecord[] {
    return [...this.#byId.values()];
  }

  get(id: string): ImageRecord | undefined {
    return this.#byId.get(id);
  }

  /** Finds an image by ID, tag or manifest digest. @throws RuntimeError `InvalidImageName`. */
  find(reference: string): ImageRecord | undefined {
    const byId = this.#byId.get(reference);
    if (byId !== undefined) return byId;
    const parsed = parseReference(reference);
    const name = parsed.digest === undefined ? tagName(parsed) : digestName(parsed, parsed.digest);
    return this.values().find((record) => record.tags.includes(name) || record.digests.includes(name));
  }

  /**
   * Stores an image. A tag names one image: the tag's former image loses it. Names that the image already has
   * are kept.
   */
  put(image: ImageRecord, config: string): Promise<ImageRecord> {
    return this.#inTurn(async () => {
      await this.#read();
      const known = this.#byId.get(image.id);
      const record = {
        ...image,
        tags: union(known?.tags ?? [], image.tags),
        digests: union(known?.digests ?? [], image.digests),
        buildKeys: union(known?.buildKeys ?? [], image.buildKeys ?? []),
      };
      for (const other of this.values()) {
        const tags = other.tags.filter((tag) => !record.tags.includes(tag));
        if (other.id !== record.id && tags.length < other.tags.length) await this.#write({ ...other, tags });
      }
      await writeFile(this.#path(record.id, "config"), config, { mode: 0o600 });
      await this.#write(record);
      return record;
    });
  }

  save(record: ImageRecord): Promise<void> {
    return this.#inTurn(() => this.#write(record));
  }

  /** Gives an image a tag, which its former image loses. */
  async tag(id: string, tag: string): Promise<void> {
    const record = this.#byId.get(id);
    if (record !== undefined) await this.put({ ...record, tags: [tag] }, await this.config(id));
  }

  delete(id: string): Promise<void> {
    return this.#inTurn(async () => {
      await rm(this.#path(id, "json"), { force: true });
      await rm(this.#path(id, "config"), { force: true });
      await this.#read();
    });
  }

  /** Returns the image's configuration as it came. */
  config(id: string): Promise<string> {
    return readFile(this.#path(id, "config"), "utf8");
  }

  /** Returns the digests of the image's uncompressed layers, lowest first. */
  async diffIds(id: string): Promise<readonly string[]> {
    return parseImageConfig(await this.config(id)).diffIds;
  }

  async #read(): Promise<void> {
    const byId = new Map<string, ImageRecord>();
    for (const file of await readdir(this.#directory)) {
      if (!file.endsWith(".json")) continue;
      const json = await readFile(join(this.#directory, file), "utf8").catch(ifRemoved);
      if (json === undefined) continue;
      const record = JSON.parse(json) as ImageRecord;
      byId.set(record.id, record);
    }
    this.#byId = byId;
  }

  async #write(record: ImageRecord): Promise<void> {
    const file = this.#path(record.id, "json");
    const next = `${file}.${process.pid}`; // Another process may be saving the same image.
    await writeFile(next, JSON.stringify(record), { mode: 0o600 });
    await rename(next, file);
    this.#byId = new Map(this.#byId).set(record.id, record);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#latest.then(work);
    this.#latest = turn.catch(() => {}); // The caller handles the error.
    return turn;
  }

  #path(id: string, kind: "json" | "config"): string {
    return join(this.#directory, `${id.slice("sha256:".length)}.${kind}`);
  }
}

/** Another process may remove an image at any moment. */
function ifRemoved(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
