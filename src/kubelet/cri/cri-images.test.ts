import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { pack } from "tar-stream";
import { buffer } from "node:stream/consumers";
import { http } from "../../util/node-http.ts";
import { containerdUnavailable, testImage, useCri } from "./containerd.suite.ts";

const unavailable = containerdUnavailable();
const user = { username: "me", password: "secret" };

let registry: Server | undefined;
afterEach(() => void registry?.close());

/** Serves one image on loopback, to `user` only. Resolves to the image's name. */
async function servePrivateImage(): Promise<string> {
  const blobs = new Map<string, Buffer>();
  const put = (bytes: Buffer, mediaType: string) => {
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    blobs.set(digest, bytes);
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest, size: bytes.length };
  };
  const tar = pack();
  tar.entry({ name: "file" }, "content");
  tar.finalize();
  const layer = put(await buffer(tar), "layer.v1.tar");
  const config = { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [layer.digest] } };
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = {
    schemaVersion: 2,
    mediaType,
    config: put(Buffer.from(JSON.stringify({ ...config, config: { User: "7:8" } })), "config.v1+json"),
    layers: [layer],
  };
  const top = put(Buffer.from(JSON.stringify(manifest)), "manifest.v1+json");
  const login = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`;
  const server = (registry = http.createServer((request, response) => {
    if (request.headers.authorization !== login) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
      return;
    }
    const name = request.url?.split("/").at(-1) ?? "";
    const digest = name === "v1" ? top.digest : name;
    const bytes = blobs.get(digest);
    const type = digest === top.digest ? mediaType : "application/octet-stream";
    response.writeHead(bytes === undefined ? 404 : 200, {
      "content-type": type,
      "content-length": bytes?.length ?? 0,
      "docker-content-digest": digest,
    });
    response.end(request.method === "HEAD" ? undefined : bytes);
  }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Safe: the server listens on TCP.
  return `127.0.0.1:${(server.address() as AddressInfo).port}/team/app:v1`;
}

describe.skipIf(unavailable !== undefined)(`images of containerd ${unavailable ?? ""}`, () => {
  const cri = useCri();

  test("a private image is pulled with credentials only, and can be listed and removed", async () => {
    const image = await servePrivateImage();
    const { images } = cri.under.runtime;
    await expect(images.pull(image)).rejects.toMatchObject({ reason: "ErrImagePull" });
    const wrong = { ...user, password: "wrong" };
    await expect(images.pull(image, undefined, wrong)).rejects.toMatchObject({ reason: "ErrImagePull" });
    expect(await images.inspect(image)).toBeUndefined();
    const pulled = await images.pull(image, undefined, user);
    expect(pulled).toMatchObject({ tags: [image], digests: [expect.stringMatching(/team\/app@sha256:/)] });
    expect(await images.resolve(image)).toMatchObject({ id: pulled.id, user: { uid: 7n } });
    expect((await images.list()).map(({ id }) => id)).toContain(pulled.id);
    await images.remove(image);
    await images.remove(image);
    expect(await images.inspect(image)).toBeUndefined();
    expect(await images.inspect(testImage)).toBeDefined();
  });

  test("a name that is no image's is refused", async () => {
    await expect(cri.under.runtime.images.pull("UPPER case")).rejects.toMatchObject({
      reason: "InvalidImageName",
    });
  });
});
