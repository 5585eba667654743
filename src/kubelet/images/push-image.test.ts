import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { decompressed } from "./decompress.ts";
import { sha256 } from "./digest.ts";
import { exportImage, saveImages } from "./export-image.ts";
import { ImageStore } from "./image-store.ts";
import type { Fetch } from "./registry.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const credentials = { username: "user", password: "secret" };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knarr-push-"));
  await mkdir(join(directory, "folder"));
  await writeFile(join(directory, "folder", "file"), "content");
});
afterEach(() => rm(directory, { recursive: true }));

/** A registry behind `fetch` that wants a password for everything, and its requests. */
function registry(): { readonly fetch: Fetch; readonly requests: string[] } {
  const blobs = new Map<string, Buffer>();
  const requests: string[] = [];
  const fetch: Fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init.method ?? "GET";
    requests.push(`${method} ${url.pathname.replace(/[0-9a-f]{64}/, "…")}`);
    const authorization = new Headers(init.headers).get("authorization");
    if (authorization !== `Basic ${Buffer.from("user:secret").toString("base64")}`)
      return new Response(null, { status: 401, headers: { "www-authenticate": 'Basic realm="r"' } });
    const [, name = ""] = /\/v2\/team\/app\/(?:blobs|manifests)\/(.*)$/.exec(url.pathname) ?? [];
    if (method === "POST")
      return new Response(null, {
        status: 202,
        headers: { location: "/v2/team/app/blobs/uploads/1?state=x" },
      });
    if (method === "PUT") {
      const body = await buffer(new Response(init.body).body ?? Readable.from([]));
      const digest = url.searchParams.get("digest");
      if (digest !== null && digest !== sha256(body)) return new Response(null, { status: 400 });
      blobs.set(digest ?? name, body);
      if (digest === null) blobs.set(sha256(body), body);
      return new Response(null, { status: 201 });
    }
    const found = blobs.get(name);
    return found === undefined
      ? new Response(null, { status: 404 })
      : new Response(method === "HEAD" ? null : new Uint8Array(found));
  };
  return { fetch, requests };
}

async function storeIn(name: string, fetch?: Fetch): Promise<ImageStore> {
  return ImageStore.open({ directory: join(directory, name), env, ...(fetch && { fetch }) });
}

describe("an image", () => {
  test("that is pushed is pulled elsewhere as the same image, and no layer is sent twice", async () => {
    const { fetch, requests } = registry();
    const one = await storeIn("one", fetch);
    const name = "127.0.0.1:5000/team/app:1";
    const { id } = await one.build({ folder: join(directory, "folder"), tag: name });
    const told: string[] = [];
    const digest = await one.push(name, credentials, (_, what) => told.push(what));
    expect(await one.push(name, credentials, (_, what) => told.push(what))).toBe(digest);
    expect(told).toEqual(["pushed", "already exists"]);
    expect(requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
    const two = await storeIn("two", fetch);
    const pulled = await two.pull(name, undefined, credentials);
    expect(pulled).toMatchObject({ id, digests: [`127.0.0.1:5000/team/app@${digest}`] });
  });

  test("is not pushed without the registry's credentials", async () => {
    const one = await storeIn("one", registry().fetch);
    await one.build({ folder: join(directory, "folder"), tag: "127.0.0.1:5000/team/app:1" });
    await expect(one.push("127.0.0.1:5000/team/app:1", undefined, () => {})).rejects.toThrow(
      "the registry wants credentials",
    );
  });

  test("sends no password to another host that the registry names", async () => {
    const seen: (string | null)[] = [];
    const { fetch } = registry();
    const away: Fetch = async (input, init) => {
      if ((input instanceof Request ? input.url : input.toString()).includes("elsewhere")) {
        seen.push(new Headers(init?.headers).get("authorization"));
        return new Response(null, { status: 201 });
      }
      const answer = await fetch(input, init);
      return answer.status === 202
        ? new Response(null, { status: 202, headers: { location: "http://elsewhere.test/upload" } })
        : answer;
    };
    const one = await storeIn("one", away);
    await one.build({ folder: join(directory, "folder"), tag: "127.0.0.1:5000/team/app:1" });
    await one.push("127.0.0.1:5000/team/app:1", credentials, () => {});
    expect(seen).toEqual([null, null]);
  });

  test("that is saved is the same bytes each time, and the same image where it is loaded", async () => {
    const one = await storeIn("one");
    const built = await one.build({ folder: join(directory, "folder"), tag: "knarr.local/app:1" });
    const details = await one.details(built.id);
    if (details === undefined) throw new Error("the image is missing");
    const image = await exportImage(details);
    for (const file of ["a.tar", "b.tar"])
      await saveImages([{ name: "knarr.local/app:1", image }], createWriteStream(join(directory, file)));
    const archive = await readFile(join(directory, "a.tar"));
    expect(archive.equals(await readFile(join(directory, "b.tar")))).toBe(true);
    const loaded = await (await storeIn("two")).importArchive(join(directory, "a.tar"));
    expect(loaded).toMatchObject([{ id: built.id, tags: ["knarr.local/app:1"] }]);
  });

  test("with this machine's programs does not leave it", async () => {
    const one = await storeIn("one", registry().fetch);
    await one.pull("knarr.local/host");
    await expect(one.push("knarr.local/host", credentials, () => {})).rejects.toThrow(
      "this machine's own programs",
    );
  });

  test("keeps a second name, and loses nameless ones by a prune", async () => {
    const one = await storeIn("one");
    const { id } = await one.build({ folder: join(directory, "folder"), tag: "knarr.local/app:1" });
    await one.tag("knarr.local/app:1", "knarr.local/app:2");
    await writeFile(join(directory, "folder", "file"), "other");
    await one.build({ folder: join(directory, "folder"), tag: "knarr.local/app:1" });
    expect(await one.inspect("knarr.local/app:2")).toMatchObject({ id, tags: ["knarr.local/app:2"] });
    await one.tag("knarr.local/app:1", "knarr.local/app:2");
    expect(await one.prune()).toBe(1);
    expect(await one.inspect(id)).toBeUndefined();
    await expect(one.tag("knarr.local/none", "a")).rejects.toThrow("there is no such image");
  });
});

test("a small archive cannot become an unbounded stream", { timeout: 60_000 }, async () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const member = gzipSync(zeros, { level: 9 });
  const bomb = await decompressed(Readable.from(Array.from({ length: 24 }, () => member)));
  await expect(
    (async () => {
      for await (const _ of bomb);
    })(),
  ).rejects.toThrow("too many");
});
