import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { exportImage, saveImages } from "../../kubelet/images/export-image.ts";
import type { ImageStore } from "../../kubelet/images/image-store.ts";
import { parseImageConfig } from "../../kubelet/images/image.ts";
import { Keyring } from "../../kubelet/images/keyring.ts";
import { parseReference, tagName } from "../../kubelet/images/reference.ts";
import type { ImageStatus, RegistryCredentials } from "../../kubelet/runtime.ts";
import { errorText } from "../../util/error-text.ts";

/** Pulls an image with the credentials of `docker login`, if it has ones for the registry. */
export async function pullImage(images: ImageStore, reference: string): Promise<ImageStatus> {
  return images.pull(reference, undefined, credentialsFor(reference)[0]);
}

/** Sends an image to the registry in its name. Resolves to the manifest's digest. */
export async function push(images: ImageStore, reference: string): Promise<string> {
  try {
    return await images.push(reference, credentialsFor(reference)[0], (digest, what) =>
      process.stderr.write(`${digest.slice(7, 19)}: ${what}\n`),
    );
  } catch (error) {
    throw new Error(`Cannot push ${reference}: ${errorText(error)}`, { cause: error });
  }
}

/** Writes images to an archive, by default to stdout. */
export async function save(
  images: ImageStore,
  references: readonly string[],
  output: string | undefined,
): Promise<void> {
  if (output === undefined && process.stdout.isTTY)
    throw new Error("Cannot save to a terminal: give a file with -o, or redirect");
  const named = await Promise.all(
    references.map(async (reference) => {
      const details = await images.details(reference);
      if (details === undefined) throw new Error(`Cannot save ${reference}: there is no such image`);
      const name = tagName(parseReference(details.record.tags[0] ?? reference));
      const image = await exportImage(details).catch((error: unknown) => {
        throw new Error(`Cannot save ${reference}: ${errorText(error)}`, { cause: error });
      });
      return { name: details.record.tags.includes(safeName(reference)) ? safeName(reference) : name, image };
    }),
  );
  await saveImages(named, output === undefined ? process.stdout : createWriteStream(output, { mode: 0o644 }));
}

/** Returns what `docker image inspect` shows of an image, as far as it is known here. */
export async function inspected(images: ImageStore, reference: string): Promise<object> {
  const details = await images.details(reference);
  if (details === undefined) throw new Error(`Cannot inspect ${reference}: there is no such image`);
  const { record, config } = details;
  const document: unknown = JSON.parse(config);
  const field = (name: string): unknown =>
    typeof document === "object" && document !== null ? Reflect.get(document, name) : undefined;
  return {
    Id: record.id,
    RepoTags: record.tags,
    RepoDigests: record.digests,
    Created: field("created"),
    Architecture: field("architecture"),
    Os: field("os"),
    Size: record.sizeBytes,
    Config: field("config") ?? {},
    RootFS: { Type: "layers", Layers: parseImageConfig(config).diffIds },
    History: field("history") ?? [],
  };
}

/** Returns the full name of a reference; an image's ID as it is. */
function safeName(reference: string): string {
  return reference.startsWith("sha256:") ? reference : tagName(parseReference(reference));
}

function credentialsFor(reference: string): readonly RegistryCredentials[] {
  const directory = process.env["DOCKER_CONFIG"] ?? join(homedir(), ".docker");
  const file = join(directory, "config.json");
  if (!existsSync(file) || statSync(file).size > 1024 * 1024) return [];
  const keyring = new Keyring();
  keyring.addConfigJson(readFileSync(file));
  return keyring.lookup(reference);
}
