import { open } from "node:fs/promises";

/** The media types of OCI images (image-spec `media-types.md`). */
export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
} as const;

/** Returns the media type of a layer's archive, by its first bytes. */
export async function layerType(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer[0] === 0x1f && buffer[1] === 0x8b) return `${mediaTypes.layer}+gzip`;
    if (buffer.readUInt32BE(0) === 0x28b52ffd) return `${mediaTypes.layer}+zstd`;
    return mediaTypes.layer;
  } finally {
    await file.close();
  }
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Returns the text of an image's manifest. */
export function formatManifest(config: Descriptor, layers: readonly Descriptor[]): string {
  const { mediaType, digest, size } = config;
  const own = (layer: Descriptor) => ({
    mediaType: layer.mediaType,
    digest: layer.digest,
    size: layer.size,
  });
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: { mediaType, digest, size },
    layers: layers.map(own),
  });
}
