import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { RegistryCredentials } from "../runtime.ts";
import { DigestMeter, sha256 } from "./digest.ts";
import type { ExportedImage, ExportedLayer } from "./export-image.ts";
import { type Descriptor, formatManifest, mediaTypes } from "./media-types.ts";
import type { ImageReference } from "./reference.ts";
import { type Fetch, RegistryClient } from "./registry.ts";

export interface Push {
  readonly image: ExportedImage;
  readonly reference: ImageReference;
  readonly fetch: Fetch;
  readonly credentials: RegistryCredentials | undefined;
  /** A directory for compressed layers. */
  readonly directory: string;
  /** Is called for each layer. */
  readonly progress: (digest: string, what: "pushed" | "already exists") => void;
}

/** Sends an image to its registry (distribution-spec, "Push"). Resolves to the manifest's digest. @throws Error */
export async function pushImage(push: Push): Promise<string> {
  const { image, reference, fetch, credentials, directory, progress } = push;
  const registry = new RegistryClient(reference, fetch, credentials);
  const layers: ExportedLayer[] = [];
  for (const [index, layer] of image.layers.entries()) {
    const sent = await compressed(layer, join(directory, `${index}.gz`));
    const isNew = await upload(registry, sent, () => Readable.toWeb(createReadStream(sent.path)));
    progress(sent.digest, isNew ? "pushed" : "already exists");
    layers.push(sent);
  }
  await upload(registry, image.configDescriptor, () => image.config);
  const manifest = formatManifest(image.configDescriptor, layers);
  const digest = sha256(manifest);
  await registry.expect(`manifests/${reference.tag ?? digest}`, {
    method: "PUT",
    headers: { "content-type": mediaTypes.manifest },
    body: manifest,
  });
  return digest;
}

/** Compresses a plain archive: registries charge for bytes, and gzip of equal bytes is equal. */
async function compressed(layer: ExportedLayer, output: string): Promise<ExportedLayer> {
  if (layer.mediaType !== mediaTypes.layer) return layer;
  const meter = new DigestMeter();
  await pipeline(
    createReadStream(layer.path),
    createGzip(),
    meter,
    createWriteStream(output, { mode: 0o600 }),
  );
  return { path: output, digest: meter.digest, size: meter.bytes, mediaType: `${mediaTypes.layer}+gzip` };
}

/** Sends a blob unless the repository has it. Resolves to false in that case. */
async function upload(
  registry: RegistryClient,
  { digest, size }: Descriptor,
  open: () => string | ReadableStream,
): Promise<boolean> {
  const present = await registry.request(`blobs/${digest}`, { method: "HEAD" });
  if (present.ok) return false;
  const begun = await registry.expect("blobs/uploads/", { method: "POST", body: "" });
  await begun.body?.cancel();
  const location = begun.headers.get("location");
  if (location === null) throw new Error(`${registry.base} gave no location for an upload`);
  const url = new URL(location, `${registry.base}/`);
  url.searchParams.set("digest", digest);
  const headers = { "content-type": "application/octet-stream", "content-length": String(size) };
  const done = await registry.expect(url.href, { method: "PUT", headers, body: open() });
  await done.body?.cancel();
  return true;
}
