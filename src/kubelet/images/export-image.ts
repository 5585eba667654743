import { createReadStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tar from "tar-stream";
import { sha256 } from "./digest.ts";
import type { ImageDetails } from "./image-parts.ts";
import { type Descriptor, formatManifest, layerType, mediaTypes } from "./media-types.ts";

/** A layer's archive to be sent. */
export interface ExportedLayer extends Descriptor {
  readonly path: string;
}

/** An image to be sent: its digest names the bytes of each part. */
export interface ExportedImage {
  readonly config: string;
  readonly configDescriptor: Descriptor;
  readonly layers: readonly ExportedLayer[];
  readonly manifest: string;
}

/**
 * Returns the parts of an image as other machines read them. @throws Error for an image with this machine's programs,
 * which are mounted and in no layer
 */
export async function exportImage(details: ImageDetails): Promise<ExportedImage> {
  const { record, config, archives } = details;
  if (record.binds.length > 0)
    throw new Error("it has this machine's own programs, which are in no layer (knarr.local/host)");
  const layers: ExportedLayer[] = [];
  for (const { path, digest, size } of await archives())
    layers.push({ path, digest, size, mediaType: await layerType(path) });
  const configDescriptor = {
    mediaType: mediaTypes.config,
    digest: record.id,
    size: Buffer.byteLength(config),
  };
  return { config, configDescriptor, layers, manifest: formatManifest(configDescriptor, layers) };
}

/**
 * Writes images as one archive that is both an OCI layout and a `docker save` archive. Equal images give equal
 * bytes.
 */
export async function saveImages(
  images: readonly { readonly name: string; readonly image: ExportedImage }[],
  output: Writable,
): Promise<void> {
  const pack = tar.pack();
  const written = pipeline(pack, output);
  written.catch(() => {}); // Thrown below.
  try {
    const saved = new Set<string>();
    const add = async (digest: string, size: number, open: () => string | Readable) => {
      if (saved.has(digest)) return;
      saved.add(digest);
      await addFile(pack, blobPath(digest), size, open());
    };
    for (const { image } of images) {
      const { config, configDescriptor, layers, manifest } = image;
      await add(configDescriptor.digest, configDescriptor.size, () => config);
      for (const { digest, size, path } of layers) await add(digest, size, () => createReadStream(path));
      await add(sha256(manifest), Buffer.byteLength(manifest), () => manifest);
    }
    for (const [name, value] of documents(images)) {
      const text = JSON.stringify(value);
      await addFile(pack, name, Buffer.byteLength(text), text);
    }
    pack.finalize();
  } catch (error) {
    pack.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
  await written;
}

function documents(
  images: readonly { readonly name: string; readonly image: ExportedImage }[],
): readonly (readonly [string, unknown])[] {
  const manifests = images.map(({ name, image: { manifest } }) => ({
    mediaType: mediaTypes.manifest,
    digest: sha256(manifest),
    size: Buffer.byteLength(manifest),
    annotations: { "io.containerd.image.name": name },
  }));
  const docker = images.map(({ name, image }) => ({
    Config: blobPath(image.configDescriptor.digest),
    RepoTags: [name],
    Layers: image.layers.map(({ digest }) => blobPath(digest)),
  }));
  return [
    ["index.json", { schemaVersion: 2, mediaType: mediaTypes.index, manifests }],
    ["manifest.json", docker],
    ["oci-layout", { imageLayoutVersion: "1.0.0" }],
  ];
}

async function addFile(
  pack: tar.Pack,
  name: string,
  size: number,
  content: string | Readable,
): Promise<void> {
  const header = { name, size, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 };
  if (typeof content === "string") pack.entry(header, content);
  else await pipeline(content, pack.entry(header));
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}
