import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { nodeContext } from "../node-context.suite.ts";
import type { SandboxStatus } from "../runtime.ts";
import { VolumeManager } from "../volumes/manager.ts";
import { EvictionManager } from "./eviction-manager.ts";

describe.skipIf(process.platform !== "linux")("the eviction manager", () => {
  let directory: string;
  let evicted: string[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-eviction-"));
    evicted = [];
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const limit = { resources: { limits: { "ephemeral-storage": "1Mi" } } };
  const scratch = [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }];

  function aPod(name: string, spec: object, status: object = {}): Pod {
    const metadata = { name, namespace: "ns", uid: name };
    const fields = { metadata, spec: { containers: [{ name: "a" }], ...spec }, status };
    return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
  }

  function write(path: string, bytes: number): void {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), Buffer.alloc(bytes, 1));
  }

  async function check(...all: readonly Pod[]): Promise<void> {
    const node = nodeContext({
      volumes: new VolumeManager(join(directory, "pods")),
      logDirectory: join(directory, "logs"),
      runtime: { writableLayer: (id: string) => join(directory, "layers", id) },
    });
    const sandboxes = (uid: string) =>
      [
        {
          containers: [
            { id: `${uid}-new`, name: "a", attempt: 1 },
            { id: `${uid}-old`, name: "a", attempt: 0 },
          ],
        },
      ] as unknown as readonly SandboxStatus[];
    const evict = (pod: Pod, message: string) => evicted.push(`${pod.metadata.name}: ${message}`);
    await new EvictionManager({ node, pods: () => all, sandboxes, evict }).check();
  }

  test("evicts only the Pod whose volume exceeds its limit", async () => {
    write("pods/big/empty-dir/scratch/deep/file", 2 << 20);
    write("pods/small/empty-dir/scratch/file", 1 << 10);
    write("pods/free/empty-dir/scratch/file", 2 << 20);
    write("pods/done/empty-dir/scratch/file", 2 << 20);
    await check(
      aPod("big", { volumes: scratch }),
      aPod("small", { volumes: scratch }),
      aPod("free", { volumes: [{ name: "scratch", emptyDir: {} }] }),
      aPod("done", { volumes: scratch }, { phase: "Failed" }),
    );
    expect(evicted).toEqual(['big: Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ']);
  });

  test("counts logs and the newest writable layer as the container's", async () => {
    write("layers/layer-new/upper/file", 600 << 10);
    write("logs/ns_layer_layer/a/0.log", 600 << 10);
    write("layers/other-old/upper/file", 2 << 20);
    await check(
      aPod("layer", {
        containers: [
          { name: "a", ...limit },
          { name: "b", ...limit },
        ],
      }),
      aPod("other", { containers: [{ name: "a", ...limit }] }),
    );
    expect(evicted).toEqual(['layer: Container a exceeded its local ephemeral storage limit "1Mi". ']);
  });

  test("counts emptyDirs and files of objects as the Pod's", async () => {
    write("pods/p/empty-dir/scratch/file", 600 << 10);
    write("pods/p/files/config/file", 600 << 10);
    await check(
      aPod("p", { containers: [{ name: "a", ...limit }], volumes: [{ name: "scratch", emptyDir: {} }] }),
    );
    expect(evicted).toEqual([
      "p: Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
    ]);
  });

  test("does not count the targets of links in a volume", async () => {
    write("elsewhere/file", 4 << 20);
    mkdirSync(join(directory, "pods/p/empty-dir/scratch"), { recursive: true });
    symlinkSync(join(directory, "elsewhere"), join(directory, "pods/p/empty-dir/scratch/directory"));
    symlinkSync(join(directory, "elsewhere/file"), join(directory, "pods/p/empty-dir/scratch/file"));
    await check(aPod("p", { volumes: scratch }));
    expect(evicted).toEqual([]);
  });
});
