import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { asRecord, strings, text } from "./image.ts";
import type { LayerDescriptor } from "./layer-store.ts";
import { sha256 } from "./digest.ts";
import { resolveInRoot } from "./resolve-in-root.ts";

/**
 * A source of an image's parts: a directory, or a registry. Nothing that it holds is trusted.
 *
 * Invariants, which the shared suite proves for every source:
 * 1. A name leads to nothing outside of the source, whatever links it holds.
 * 2. The plan refuses a document whose digest differs from its name, and an image for other machines. It opens no
 *    layers: their digests are checked when they are unpacked.
 */
export interface ImageSource {
  /** Opens a layer as it was published. @throws Error, or its stream fails, when there is no such layer */
  open(layer: LayerDescriptor): Promise<Readable>;
  /** Reads a small document whole. @throws Error when there is no such document */
  read(name: string): Promise<string>;
}

/** An image in a source, before its layers are fetched. */
export interface ImagePlan {
  /** The configuration's text; its digest is the image's ID. */
  readonly config: string;
  /** Lowest first. */
  readonly layers: readonly LayerDescriptor[];
  readonly tags: readonly string[];
  /** The digest of the manifest, if there is one. */
  readonly digest?: string;
}

/** Bytes of a manifest, an index or a configuration; upstream's registries take manifests of 4 MiB. */
export const maxDocumentBytes = 8 * 1024 * 1024;
/** Indexes in indexes. */
const maxIndexDepth = 4;

/** An OCI layout or an unpacked `docker save` archive. Links in it are resolved inside it. */
export function directorySource(directory: string): ImageSource {
  return {
    open: async (layer) => createReadStream(await resolveInRoot(directory, layer.name)),
    async read(name) {
      const path = await resolveInRoot(directory, name);
      const { size } = await stat(path);
      if (size > maxDocumentBytes) throw new Error(`${name} has more than ${maxDocumentBytes} bytes`);
      return readFile(path, "utf8");
    },
  };
}

/** Returns the images in a directory source of either form. @throws Error when it has neither form. */
export async function plansInDirectory(source: ImageSource): Promise<readonly ImagePlan[]> {
  const docker = await source.read("manifest.json").catch(() => undefined);
  if (docker !== undefined) return dockerPlans(source, docker);
  const index = await source.read("index.json").catch(() => undefined);
  if (index === undefined) throw new Error("Cannot import: found neither index.json nor manifest.json");
  const plans: ImagePlan[] = [];
  for (const descriptor of list(asRecord(JSON.parse(index))["manifests"])) {
    const annotations = asRecord(descriptor["annotations"] ?? {});
    const name = annotations["io.containerd.image.name"] ?? annotations["org.opencontainers.image.ref.name"];
    const digest = text(descriptor["digest"]);
    plans.push(await manifestPlan(source, digest, blobPath, name === undefined ? [] : [text(name)]));
  }
  return plans;
}

/**
 * Reads a manifest or, through an index, the one for this machine. `locate` turns a digest into the source's
 * name of the blob.
 */
export async function manifestPlan(
  source: ImageSource,
  digest: string,
  locate: (digest: string) => string,
  tags: readonly string[],
  depth = 0,
): Promise<ImagePlan> {
  if (depth > maxIndexDepth) throw new Error(`Cannot use ${digest}: its indexes are nested too deeply`);
  const manifest = asRecord(JSON.parse(await readVerified(source, digest, locate)));
  if (Array.isArray(manifest["manifests"])) {
    const here = list(manifest["manifests"]).find(isForThisMachine);
    if (here === undefined) throw new Error(`Cannot use ${digest}: no manifest for linux/${architecture}`);
    return { ...(await manifestPlan(source, text(here["digest"]), locate, tags, depth + 1)), digest };
  }
  const config = await readVerified(source, text(asRecord(manifest["config"])["digest"]), locate);
  const layers = list(manifest["layers"]).map((layer) => {
    const digest = text(layer["digest"]);
    return { name: locate(digest), digest, size: Number(layer["size"]) };
  });
  return { config, layers, tags, digest };
}

async function readVerified(
  source: ImageSource,
  digest: string,
  locate: (digest: string) => string,
): Promise<string> {
  const document = await source.read(locate(digest));
  if (sha256(document) !== digest) throw new Error(`Cannot use ${digest}: its digest is ${sha256(document)}`);
  return document;
}

async function dockerPlans(source: ImageSource, manifest: string): Promise<readonly ImagePlan[]> {
  const entries = list(JSON.parse(manifest));
  return Promise.all(
    entries.map(async (entry) => ({
      config: await source.read(text(entry["Config"])),
      layers: strings(entry["Layers"]).map((name) => ({ name })),
      tags: strings(entry["RepoTags"]),
    })),
  );
}

/**
 * Returns a blob's path in an OCI layout. @throws Error when the digest is malformed, because it becomes a
 * path.
 */
function blobPath(digest: string): string {
  if (!/^sha256:[a-f0-9]{64}$/.test(digest)) throw new Error(`Cannot use ${digest}: not a SHA-256 digest`);
  return `blobs/${digest.replace(":", "/")}`;
}

const architecture = process.arch === "x64" ? "amd64" : process.arch;

function isForThisMachine(descriptor: Record<string, unknown>): boolean {
  const platform = asRecord(descriptor["platform"] ?? {});
  return platform["os"] === "linux" && platform["architecture"] === architecture;
}

function list(value: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error("Cannot read image: not a list");
  return value.map(asRecord);
}
