import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
// oxlint-disable-next-line no-restricted-imports -- The layers are those of the real store.
import { ImageStore } from "../images/image-store.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aPod } from "../pod/builders.suite.ts";
import { VolumeManager } from "./manager.ts";

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)("a volume of an image", () => {
  let directory: string;
  let images: ImageStore;
  let node: NodeContext;
  let manager: VolumeManager;
  const tag = "knarr.local/data:latest";
  const pod = aPod({ volumes: [{ name: "v", image: { reference: tag } }] }, { uid: "u1" });

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "knarr-image-volume-"));
    const env = { clock: systemClock, random: systemRandom, log: silentLogger };
    images = await ImageStore.open({ directory: join(directory, "images"), env });
    // Safe: nothing else of the node is used.
    node = nodeContext({ runtime: { images } });
    manager = new VolumeManager(join(directory, "pods"));
  });
  afterEach(async () => {
    await manager.unmountAll();
    rmSync(directory, { recursive: true });
  });

  async function build(name: string, base?: string): Promise<void> {
    const folder = join(directory, name);
    mkdirSync(folder);
    writeFileSync(join(folder, name), name);
    await images.build({ folder, tag, ...(base !== undefined && { base }) });
  }
  const path = async () => (await manager.prepare(node, pod)).get("v")?.path ?? "";

  test("shows all layers, and can only be read", async () => {
    await build("one");
    await build("two", tag);
    const prepared = (await manager.prepare(node, pod)).get("v");
    expect(prepared?.readOnly).toBe(true);
    expect(readdirSync(prepared?.path ?? "").sort()).toEqual(["one", "two"]);
    expect(() => writeFileSync(join(prepared?.path ?? "", "new"), "")).toThrow("EROFS");
    await manager.remove(node, "u1");
    expect(readdirSync(join(directory, "pods"))).toEqual([]);
  });

  test("keeps its image until its Pod is gone, and a later container gets the later image", async () => {
    await build("one");
    const first = await path();
    expect(await path()).toBe(first);
    await images.remove(tag);
    expect(readFileSync(join(first, "one"), "utf8")).toBe("one");
    await build("other");
    expect(readdirSync(await path())).toEqual(["other"]);
    expect(readdirSync(first)).toEqual(["one"]);
    const kept = () => readdirSync(join(directory, "images", "layers")).length;
    const both = kept();
    await manager.remove(node, "u1");
    expect(kept()).toBe(both / 2);
  });

  test("waits for its image, and is refused where the runtime has no layers", async () => {
    expect((await manager.prepare(node, pod)).has("v")).toBe(false);
    // Safe: nothing else of the node is used.
    const other = nodeContext({ runtime: { images: {} } });
    await expect(manager.prepare(other, pod)).rejects.toThrow(
      'MountVolume.SetUp failed for volume "v" : this node\'s container runtime does not mount images',
    );
  });
});
