import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ConfigMap } from "../../api/core/config-map/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { errors } from "../../meta/status.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { VolumeManager } from "./manager.ts";

type Data = Pick<ConfigMap, "data">;

describe.skipIf(process.platform !== "linux")("volumes from objects", () => {
  let directory: string;
  let objects: Map<string, Data>;
  let node: NodeContext;
  let manager: VolumeManager;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-volumes-"));
    objects = new Map();
    const get = (name: string) => {
      const found = objects.get(name);
      if (found !== undefined) return Promise.resolve(found);
      return Promise.reject(errors.notFound({ group: "", resource: "configmaps" }, name));
    };
    node = nodeContext({ client: { of: () => ({ get }) } });
    manager = new VolumeManager(join(directory, "pods"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function aPod(volumes: readonly object[]): Pod {
    const fields = { metadata: { name: "p", uid: "u1" }, spec: { containers: [{ name: "a" }], volumes } };
    return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
  }

  const visible = (path: string) => readdirSync(path).filter((name) => !name.startsWith(".."));

  test("a missing optional object gives an empty volume, which follows the object once it exists", async () => {
    const sources = [
      { configMap: { name: "late", optional: true } },
      { secret: { name: "s", optional: true } },
    ];
    const pod = aPod([
      { name: "plain", configMap: { name: "late", optional: true } },
      { name: "both", projected: { sources } },
    ]);
    const paths = [...(await manager.prepare(node, pod)).values()].map(({ path }) => path);
    expect(paths.map(visible)).toEqual([[], []]);
    objects.set("late", { data: { one: "1", two: "2" } });
    await manager.prepare(node, pod);
    expect(paths.map(visible)).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
    objects.set("late", { data: { two: "two" } });
    await manager.prepare(node, pod);
    for (const path of paths) {
      expect(visible(path)).toEqual(["two"]);
      expect(readFileSync(join(path, "two"), "utf8")).toBe("two");
    }
    objects.delete("late");
    await manager.prepare(node, pod);
    expect(paths.map(visible)).toEqual([[], []]);
  });

  test("a Pod's volumes have one writer at a time", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `map-${index}`);
    for (const name of names) objects.set(name, { data: { [name]: "old" } });
    const pod = aPod(names.map((name) => ({ name, configMap: { name } })));
    const asked = Array.from({ length: 5 }, async (_, round) => {
      for (const name of names) objects.set(name, { data: { [name]: String(round) } });
      return manager.prepare(node, pod);
    });
    for (const prepared of await Promise.all(asked)) {
      for (const [name, { path }] of prepared) {
        expect(visible(path)).toEqual([name]);
        expect(readFileSync(join(path, name), "utf8")).toBe("4");
      }
    }
    await Promise.all([manager.prepare(node, pod), manager.remove(node, "u1")]);
    expect(readdirSync(join(directory, "pods"))).toEqual([]);
  });
});
