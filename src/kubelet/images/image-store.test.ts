import { execFileSync } from "node:child_process";
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { gzipSync, zstdCompressSync } from "node:zlib";
import tar, { type Header } from "tar-stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { http } from "../../util/node-http.ts";
import { systemRandom } from "../../util/random.ts";
import { sha256 } from "./digest.ts";
import { ImageStore } from "./image-store.ts";
import type { ResolvedImage } from "./image.ts";
import { unpackArchive } from "./unpack-archive.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
let directory: string;
let store: ImageStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knarr-images-"));
  store = await ImageStore.open({ directory: join(directory, "store"), env });
});
afterEach(() => rm(directory, { recursive: true }));

type Entry = Partial<Header> & { name: string; content?: string };

async function archive(entries: readonly Entry[]): Promise<Buffer> {
  const pack = tar.pack();
  for (const { content, ...header } of entries) pack.entry(header, content ?? "");
  pack.finalize();
  return buffer(pack);
}

/** An image archive as `docker save` writes it. */
async function dockerArchive(
  tag: string,
  layers: readonly Buffer[],
  diffIds = layers.map(sha256),
): Promise<Buffer> {
  const config = JSON.stringify({ config: { Cmd: ["/app"], User: "app" }, rootfs: { diff_ids: diffIds } });
  const names = layers.map((_, index) => `${index}/layer.tar`);
  return archive([
    ...layers.map((layer, index) => ({ name: names[index] ?? "", content: layer as unknown as string })),
    { name: "config.json", content: config },
    {
      name: "manifest.json",
      content: JSON.stringify([{ Config: "config.json", RepoTags: [tag], Layers: names }]),
    },
  ]);
}

/** Blobs and index of an OCI image. */
function ociImage(layer: Buffer, sent: Buffer): { blobs: Map<string, Buffer>; manifest: string } {
  const config = Buffer.from(JSON.stringify({ config: {}, rootfs: { diff_ids: [sha256(layer)] } }));
  const manifest = Buffer.from(
    JSON.stringify({
      config: { digest: sha256(config), size: config.length },
      layers: [{ digest: sha256(sent), size: sent.length }],
    }),
  );
  const blobs = new Map([config, manifest, sent].map((blob) => [sha256(blob), blob]));
  return { blobs, manifest: sha256(manifest) };
}

async function importLayers(...layers: readonly Buffer[]): Promise<ResolvedImage> {
  await store.importArchive(Readable.from([await dockerArchive("app", layers)]));
  const image = await store.resolve("app");
  if (image === undefined) throw new Error("not imported");
  return image;
}

function layerPath(image: ResolvedImage, index: number, path: string): string {
  return join(image.layersDirectory, image.layers[index] ?? "", path);
}

describe("import", () => {
  test("files keep content, mode, links and times", async () => {
    const image = await importLayers(
      await archive([
        { name: "./", type: "directory", mode: 0o750 },
        { name: "./bin/", type: "directory", mode: 0o711 },
        { name: "./bin/app", mode: 0o4755, mtime: new Date(1e12), content: "binary" },
        { name: "./bin/same", type: "link", linkname: "./bin/app" },
        { name: "./latest", type: "symlink", linkname: "/bin/app" },
      ]),
    );
    const app = await stat(layerPath(image, 0, "bin/app"));
    expect([app.mode & 0o7777, app.mtimeMs, app.nlink]).toEqual([0o4755, 1e12, 2]);
    expect((await stat(layerPath(image, 0, ""))).mode & 0o777).toBe(0o750);
    expect((await lstat(layerPath(image, 0, "latest"))).isSymbolicLink()).toBe(true);
    expect(image.config).toMatchObject({ cmd: ["/app"], user: "app" });
  });

  test("a layer that two images share is unpacked once", async () => {
    const shared = await archive([{ name: "shared", content: "x" }]);
    await store.importArchive(Readable.from([await dockerArchive("one", [shared])]));
    const other = await archive([{ name: "other", content: "y" }]);
    await store.importArchive(Readable.from([await dockerArchive("two", [shared, other])]));
    const [one, two] = [await store.resolve("one"), await store.resolve("two")];
    expect(two?.layers.at(-1)).toBe(one?.layers[0]);
    expect(two?.layers).toHaveLength(2);
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ])("an OCI layout with %s layers is verified and unpacked", async (_, compress) => {
    const layer = await archive([{ name: "hello", content: "world" }]);
    const { blobs, manifest } = ociImage(layer, compress(layer));
    const layout = join(directory, "layout");
    await mkdir(join(layout, "blobs/sha256"), { recursive: true });
    for (const [digest, blob] of blobs) await writeFile(join(layout, "blobs/sha256", digest.slice(7)), blob);
    const annotations = { "org.opencontainers.image.ref.name": "registry.test/hello:v1" };
    await writeFile(
      join(layout, "index.json"),
      JSON.stringify({ manifests: [{ digest: manifest, annotations }] }),
    );
    const [status] = await store.importDirectory(layout);
    expect(status?.tags).toEqual(["registry.test/hello:v1"]);
    const image = await store.resolve("registry.test/hello:v1");
    expect(await readFile(layerPath(image!, 0, "hello"), "utf8")).toBe("world");
  });

  test("content that differs from its digest is refused and leaves nothing", async () => {
    const layer = await archive([{ name: "hello", content: "world" }]);
    const forged = await dockerArchive("app", [layer], [sha256("something else")]);
    await expect(store.importArchive(Readable.from([forged]))).rejects.toThrow("not the content of");
    expect(await readdir(join(directory, "store/layers"))).toEqual([]);
    expect(await readdir(join(directory, "store/tmp"), { recursive: true })).toEqual([expect.any(String)]); // Our own.
  });
});

describe("whiteouts", () => {
  test("a removed file and an opaque directory hide the layers below, and nothing else", async () => {
    const image = await importLayers(
      await archive([
        { name: "etc/gone", content: "1" },
        { name: "etc/kept", content: "1" },
        { name: "data/old", content: "1" },
        { name: "data/sub/old", content: "1" },
      ]),
      await archive([
        { name: "etc/.wh.gone" },
        { name: "data/.wh..wh..opq" },
        { name: "data/new", content: "2" },
        { name: "data/sub/new", content: "2" },
      ]),
    );
    for (const path of ["etc/gone", "data/old", "data/sub/old"]) {
      const mark = await lstat(layerPath(image, 0, path));
      expect([mark.isCharacterDevice(), mark.rdev]).toEqual([true, 0]);
    }
    expect((await readdir(layerPath(image, 0, "etc"))).sort()).toEqual(["gone"]);
    expect((await readdir(layerPath(image, 0, "data"))).sort()).toEqual(["new", "old", "sub"]);
  });

  test("a layer's parent directories keep their mode from the layers below", async () => {
    const image = await importLayers(
      await archive([{ name: "tmp", type: "directory", mode: 0o1777 }]),
      await archive([{ name: "tmp/file", content: "x" }]),
    );
    expect((await stat(layerPath(image, 0, "tmp"))).mode & 0o7777).toBe(0o1777);
  });
});

describe("hostile layers", () => {
  test.each(["../outside", "a/../../outside", "/../outside"])("the name %s is refused", async (name) => {
    await expect(importLayers(await archive([{ name, content: "x" }]))).rejects.toThrow("leaves the archive");
  });

  test("nothing is written, removed, linked or chmodded through links that lead out", async () => {
    const outside = join(directory, "outside");
    await mkdir(join(outside, "sub"), { recursive: true });
    await writeFile(join(outside, "secret"), "s3cret");
    const before = await stat(join(outside, "sub"));
    const image = await importLayers(
      await archive([
        { name: "a/sub", type: "directory", mode: 0o777 },
        { name: "a/null", type: "character-device", devmajor: 1, devminor: 3 },
        { name: "a", type: "symlink", linkname: outside },
        { name: "a/written", content: "x" },
        { name: "a/.wh.secret" },
        { name: "a/.wh.absent" },
        { name: "up", type: "symlink", linkname: "../../../../../.." },
        { name: `up${outside}/climbed`, content: "x" },
      ]),
    );
    expect((await readdir(outside)).sort()).toEqual(["secret", "sub"]);
    expect((await stat(join(outside, "sub"))).mode).toBe(before.mode);
    expect(await readFile(layerPath(image, 0, `${outside}/written`), "utf8")).toBe("x");
    expect(await readFile(layerPath(image, 0, `${outside}/climbed`), "utf8")).toBe("x");
    const stealing = archive([
      { name: "b", type: "symlink", linkname: outside },
      { name: "stolen", type: "link", linkname: "b/secret" },
    ]);
    await expect(importLayers(await stealing)).rejects.toThrow("ENOENT");
  });

  test("the outer archive cannot write through its own links either", async () => {
    const outside = join(directory, "outside");
    await mkdir(outside);
    const outer = await archive([
      { name: "0", type: "symlink", linkname: outside },
      { name: "0/planted", content: "x" },
    ]);
    await expect(store.importArchive(Readable.from([outer]))).rejects.toThrow("Cannot import");
    expect(await readdir(outside)).toEqual([]);
  });
});

describe("names", () => {
  test("layers are deleted with their last user: another image, or a container's hold", async () => {
    const image = await importLayers(await archive([{ name: "f", content: "x" }]));
    store.hold("container", image.id);
    await store.remove("app");
    expect(await store.inspect("app")).toBeUndefined();
    expect(await readFile(layerPath(image, 0, "f"), "utf8")).toBe("x");
    await store.release("container");
    expect(await readdir(join(directory, "store/layers"))).toEqual([]);
  });

  test("a tag moves to the image that got it last, and records survive a restart", async () => {
    const first = await importLayers(await archive([{ name: "f", content: "1" }]));
    const second = await importLayers(await archive([{ name: "f", content: "2" }]));
    const reopened = await ImageStore.open({ directory: join(directory, "store"), env });
    expect((await reopened.resolve("app"))?.id).toBe(second.id);
    expect((await reopened.inspect(first.id))?.tags).toEqual([]);
  });

  test("an invalid name is InvalidImageName, an unknown local one ErrImagePull", async () => {
    await expect(store.pull("Not Valid")).rejects.toMatchObject({ reason: "InvalidImageName" });
    await expect(store.pull("knarr.local/none")).rejects.toMatchObject({ reason: "ErrImagePull" });
    expect(await store.inspect("nothing")).toBeUndefined();
  });
});

describe("a second store on the same directory", () => {
  test("sees what the first imports and removes", async () => {
    const second = await ImageStore.open({ directory: join(directory, "store"), env });
    const image = await importLayers(await archive([{ name: "f", content: "x" }]));
    expect(await second.resolve("app")).toEqual(image);
    expect(await second.list()).toHaveLength(1);
    await store.remove("app");
    expect(await second.resolve("app")).toBeUndefined();
  });

  test("keeps an import in progress, and removes the remains of ended processes", async () => {
    const left = join(directory, "store/tmp/1-0");
    await mkdir(left);
    const content = await dockerArchive("app", [await archive([{ name: "f", content: "x" }])]);
    const stream = Readable.from(
      (async function* () {
        yield content.subarray(0, 600);
        await ImageStore.open({ directory: join(directory, "store"), env });
        yield content.subarray(600);
      })(),
    );
    await store.importArchive(stream);
    expect(await store.inspect("app")).toBeDefined();
    await expect(stat(left)).rejects.toThrow("ENOENT");
  });

  test("does not prune the layers of an import that has no record yet", async () => {
    await importLayers(await archive([{ name: "old", content: "0" }]));
    const layers = await Promise.all(["below", "above"].map((name) => archive([{ name, content: name }])));
    const layout = join(directory, "layout");
    await mkdir(layout);
    await unpackArchive(Readable.from([await dockerArchive("new", layers)]), layout);
    const slow = join(layout, "1/layer.tar");
    await rm(slow);
    execFileSync("mkfifo", [slow]);
    const importing = store.importDirectory(layout);
    const writer = await open(slow, "w"); // When it is read, the layer below is there.
    const second = await ImageStore.open({ directory: join(directory, "store"), env });
    await second.remove("app");
    await writer.writeFile(layers[1] ?? "");
    await writer.close();
    await importing;
    const image = await second.resolve("new");
    expect(await readFile(layerPath(image!, 1, "below"), "utf8")).toBe("below");
    expect(await readdir(join(directory, "store/layers"))).toHaveLength(8);
  });
});

describe("build", () => {
  test("a folder becomes a layer with its configuration, on top of a base", async () => {
    const folder = join(directory, "app");
    await mkdir(folder);
    await writeFile(join(folder, "main.js"), "1");
    await symlink("main.js", join(folder, "link"));
    const config = { entrypoint: ["node", "/main.js"], user: "nobody" };
    const options = { folder, tag: "knarr.local/app:v1", base: "knarr.local/host", config };
    const [first, again] = [await store.build(options), await store.build(options)];
    expect(again.id).toBe(first.id);
    const image = await store.resolve("knarr.local/app:v1");
    expect(image?.config).toMatchObject({
      ...config,
      env: [expect.stringContaining("PATH=/opt/knarr/bin:")],
    });
    expect(image?.layers).toHaveLength(2);
    expect(image?.binds.map((bind) => bind.containerPath)).toContain("/usr");
  });

  test("the host image holds programs and no private paths", async () => {
    await store.pull("knarr.local/host:latest");
    const image = await store.resolve("knarr.local/host");
    expect(await readdir(layerPath(image!, 0, "root"))).toEqual([]);
    expect((await readdir(layerPath(image!, 0, "etc"))).sort()).not.toContain("shadow");
    for (const { containerPath } of image!.binds)
      expect(containerPath).toMatch(/^\/(usr|s?bin|lib\w*|etc\/alternatives|opt\/knarr\/bin\/node)$/);
  });

  test("the host image is rebuilt only when its inputs have changed", async () => {
    const { id } = await store.pull("knarr.local/host");
    const file = join(directory, "store/images", `${id.slice("sha256:".length)}.json`);
    const made = await readFile(file, "utf8");
    const written = async () => (await stat(file, { bigint: true })).ino;
    const before = await written();
    expect((await store.pull("knarr.local/host")).id).toBe(id);
    expect(await written()).toBe(before);
    // Its inputs differ from the host's present files.
    const other = { ...(JSON.parse(made) as object), madeFrom: "sha256:other" };
    await writeFile(file, JSON.stringify(other));
    expect((await store.pull("knarr.local/host")).id).toBe(id);
    expect(await readFile(file, "utf8")).toBe(made);
  });
});

test("an image is pulled from a loopback registry over plain HTTP, with a token when the registry requires one", async () => {
  const layer = await archive([{ name: "pulled", content: "yes" }]);
  const { blobs, manifest } = ociImage(layer, gzipSync(layer));
  const server = http.createServer((request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    if (request.url?.startsWith("/token")) return response.end(JSON.stringify({ token: "t" }));
    if (request.headers.authorization !== "Bearer t") {
      response.setHeader("www-authenticate", `Bearer realm="${origin}/token",service="s",scope="pull"`);
      return response.writeHead(401).end();
    }
    const [, kind, name] = /^\/v2\/team\/app\/(manifests|blobs)\/(.*)$/.exec(request.url ?? "") ?? [];
    const digest = kind === "manifests" && name === "v1" ? manifest : (name ?? "");
    const blob = kind === "manifests" && digest !== manifest ? undefined : blobs.get(digest);
    return blob === undefined ? response.writeHead(404).end() : response.end(blob);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const name = `127.0.0.1:${(server.address() as AddressInfo).port}/team/app`;
    const status = await store.pull(`${name}:v1`);
    expect(status).toMatchObject({ tags: [`${name}:v1`], digests: [`${name}@${manifest}`] });
    const image = await store.resolve(`${name}@${manifest}`);
    expect(await readFile(layerPath(image!, 0, "pulled"), "utf8")).toBe("yes");
    await expect(store.pull(`${name}:v2`)).rejects.toMatchObject({ reason: "ErrImagePull" });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
