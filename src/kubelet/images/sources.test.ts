import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { http } from "../../util/node-http.ts";
import { parseReference } from "./reference.ts";
import { registrySource } from "./registry.ts";
import { directorySource, plansInDirectory } from "./source.ts";
import { ociBlobs, type PublishedImage, sourceSuite, type SourceUnderTest } from "./source.suite.ts";

/** A directory that is filled by `files`, which names what an image consists of. */
async function openDirectory(
  files: (image: PublishedImage) => ReadonlyMap<string, Buffer>,
): Promise<SourceUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "knarr-source-"));
  const source = directorySource(directory);
  return {
    source,
    plans: () => plansInDirectory(source),
    async publish(image) {
      for (const [name, content] of files(image)) {
        await mkdir(dirname(join(directory, name)), { recursive: true });
        await writeFile(join(directory, name), content);
      }
    },
    dispose: () => rm(directory, { recursive: true }),
  };
}

const json = (value: object) => Buffer.from(JSON.stringify(value));

/** OCI image-spec `image-layout.md`. */
function layoutFiles(image: PublishedImage): ReadonlyMap<string, Buffer> {
  const { blobs, root } = ociBlobs(image);
  const annotations = { "org.opencontainers.image.ref.name": image.tag };
  return new Map([
    ...[...blobs].map(([digest, blob]) => [`blobs/${digest.replace(":", "/")}`, blob] as const),
    ["index.json", json({ manifests: [{ digest: root, annotations }] })],
  ]);
}

function savedFiles({ tag, config, layers, manifest }: PublishedImage): ReadonlyMap<string, Buffer> {
  const names = layers.map((_, index) => `${index}/layer.tar`);
  const entry = { Config: "config.json", RepoTags: [tag], Layers: names };
  return new Map([
    ...layers.map((layer, index) => [names[index] ?? "", layer] as const),
    ["config.json", Buffer.from(config)],
    ["manifest.json", manifest === undefined ? json([entry]) : Buffer.from(manifest)],
  ]);
}

/** The distribution API of one repository. */
async function openRegistry(): Promise<SourceUnderTest> {
  const published = new Map<string, Buffer>();
  const server = http.createServer((request, response) => {
    const [, name = ""] = /^\/v2\/team\/app\/(?:manifests|blobs)\/(.*)$/.exec(request.url ?? "") ?? [];
    const found = published.get(name);
    if (found === undefined) response.writeHead(404).end();
    else response.end(found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const registry = registrySource(parseReference(`127.0.0.1:${port}/team/app:v1`), fetch);
  return {
    source: registry.source,
    plans: async () => [await registry.plan()],
    async publish(image) {
      const { blobs, root } = ociBlobs(image);
      for (const [digest, blob] of blobs) published.set(digest, blob);
      published.set("v1", published.get(root) ?? Buffer.of());
    },
    async dispose() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

sourceSuite("an OCI layout", { digests: true }, () => openDirectory(layoutFiles));
sourceSuite("what docker save writes", { digests: false }, () => openDirectory(savedFiles));
sourceSuite("a registry", { digests: true }, openRegistry);

describe("a directory", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "knarr-source-"));
    await mkdir(join(directory, "inside"));
    await writeFile(join(directory, "secret"), "outside");
    await writeFile(join(directory, "inside/secret"), "inside");
    await symlink(join(directory, "secret"), join(directory, "inside/absolute"));
    await symlink("../../../../../../../etc/passwd", join(directory, "inside/climbing"));
    await symlink("loop", join(directory, "inside/loop"));
    await symlink("secret", join(directory, "inside/near"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test.each(["../secret", "/secret", "a/../../secret", "./../../secret", "near"])(
    "leads by %s to what it holds itself",
    async (name) => {
      const source = directorySource(join(directory, "inside"));
      expect(await source.read(name)).toBe("inside");
      expect(String(await buffer(await source.open({ name })))).toBe("inside");
    },
  );

  test.each(["absolute", "climbing", "loop"])("leads by the link %s to nothing outside", async (name) => {
    const source = directorySource(join(directory, "inside"));
    await expect(source.read(name)).rejects.toThrow(/ENOENT|too many symbolic links/);
    await expect(source.open({ name }).then((stream) => buffer(stream))).rejects.toThrow(
      /ENOENT|too many symbolic links/,
    );
  });

  test("that holds no image is refused", async () => {
    await expect(plansInDirectory(directorySource(directory))).rejects.toThrow(
      "Cannot import: found neither index.json nor manifest.json",
    );
  });

  test("names its images by their annotations or their tags, and may hold several", async () => {
    const annotated = (digest: string, annotations: object) => ({ digest, annotations });
    const { blobs, root } = ociBlobs({ tag: "", config: "{}", layers: [] });
    await mkdir(join(directory, "blobs/sha256"), { recursive: true });
    for (const [digest, blob] of blobs)
      await writeFile(join(directory, "blobs", digest.replace(":", "/")), blob);
    const manifests = [
      annotated(root, { "io.containerd.image.name": "docker.io/library/a:v1" }),
      annotated(root, { "org.opencontainers.image.ref.name": "b:v1" }),
      { digest: root },
    ];
    await writeFile(join(directory, "index.json"), JSON.stringify({ manifests }));
    const plans = await plansInDirectory(directorySource(directory));
    expect(plans.map(({ tags }) => tags)).toEqual([["docker.io/library/a:v1"], ["b:v1"], []]);
    const two = [1, 2].map((n) => ({ Config: "c.json", RepoTags: [`a:v${n}`, `b:v${n}`], Layers: [] }));
    await writeFile(join(directory, "c.json"), "{}");
    await writeFile(join(directory, "manifest.json"), JSON.stringify(two));
    const saved = await plansInDirectory(directorySource(directory));
    expect(saved.map(({ tags }) => tags)).toEqual([
      ["a:v1", "b:v1"],
      ["a:v2", "b:v2"],
    ]);
  });

  test.each(["../../secret", "sha256:../../../secret", "sha512:00", "sha256:ABC"])(
    "takes %s for no digest",
    async (digest) => {
      await writeFile(join(directory, "inside/index.json"), JSON.stringify({ manifests: [{ digest }] }));
      await expect(plansInDirectory(directorySource(join(directory, "inside")))).rejects.toThrow(
        `Cannot use ${digest}: not a SHA-256 digest`,
      );
    },
  );
});
