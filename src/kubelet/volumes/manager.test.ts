import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { nodeContext } from "../node-context.suite.ts";
import { checkHostPath } from "./host-path.ts";
import { VolumeManager } from "./manager.ts";

describe.skipIf(process.platform !== "linux")("volumes on the host", () => {
  const node = nodeContext({ addresses: { hostIPs: [] } });
  let directory: string;
  let manager: VolumeManager;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-volumes-"));
    manager = new VolumeManager(join(directory, "pods"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function aPod(spec: object): Pod {
    const fields = { metadata: { name: "p", uid: "u1" }, spec: { containers: [{ name: "a" }], ...spec } };
    return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
  }

  test.each([
    ["", "new/dir", undefined],
    ["DirectoryOrCreate", "new/dir", undefined],
    ["DirectoryOrCreate", "link/new", undefined],
    ["DirectoryOrCreate", "file", "not a directory"],
    ["Directory", "dir", undefined],
    ["Directory", "link", undefined],
    ["Directory", "missing", "not a directory"],
    ["FileOrCreate", "dir/new", undefined],
    ["FileOrCreate", "file", undefined],
    ["FileOrCreate", "missing/new", "not a file"],
    ["FileOrCreate", "dir", "not a file"],
    ["File", "file", undefined],
    ["File", "file/below", "not a file"],
    ["File", "missing", "not a file"],
    ["Socket", "file", "not a socket file"],
    ["CharDevice", "file", "not a character device"],
    ["BlockDevice", "file", "not a block device"],
  ])("a host path of type %j at %s: %s", (type, path, refusal) => {
    mkdirSync(join(directory, "dir"));
    writeFileSync(join(directory, "file"), "kept");
    symlinkSync(join(directory, "dir"), join(directory, "link"));
    const check = () => checkHostPath(join(directory, path), type);
    if (refusal === undefined) {
      check();
      const stat = statSync(join(directory, path));
      expect(stat.isFile()).toBe(type.startsWith("File"));
    } else expect(check).toThrow(refusal);
    expect(existsSync(join(directory, "missing"))).toBe(false);
    expect(readFileSync(join(directory, "file"), "utf8")).toBe("kept");
  });

  test("containers can write only to emptyDirs and host paths", async () => {
    const volumes = [
      { name: "scratch", emptyDir: {} },
      { name: "host", hostPath: { path: directory } },
      { name: "about", downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
    ];
    const prepared = await manager.prepare(node, aPod({ volumes }));
    expect([...prepared].map(([name, { readOnly }]) => [name, readOnly])).toEqual([
      ["scratch", false],
      ["host", false],
      ["about", true],
    ]);
    expect(readFileSync(join(prepared.get("about")?.path ?? "", "name"), "utf8")).toBe("p");
  });

  test("an emptyDir of an unknown medium is refused", async () => {
    const pod = aPod({ volumes: [{ name: "m", emptyDir: { medium: "HugePages" } }] });
    await expect(manager.prepare(node, pod)).rejects.toThrow(
      'MountVolume.SetUp failed for volume "m" : unknown storage medium "HugePages"',
    );
  });

  describe.skipIf(process.getuid?.() !== 0)("as root", () => {
    const resources = { limits: { memory: "2Mi" } };

    test.each([
      ["its own limit", { sizeLimit: "1Mi" }, { containers: [{ name: "a", resources }] }, 1 << 20],
      [
        "the Pod's limit of memory",
        { sizeLimit: "9Mi" },
        { containers: [{ name: "a", resources }] },
        2 << 20,
      ],
    ])("an emptyDir in memory is as large as %s", async (_, emptyDir, spec, bytes) => {
      const pod = aPod({ ...spec, volumes: [{ name: "m", emptyDir: { medium: "Memory", ...emptyDir } }] });
      const path = (await manager.prepare(node, pod)).get("m")?.path ?? "";
      try {
        const size = execFileSync("findmnt", ["-bno", "SIZE", path], { encoding: "utf8" });
        expect(Number(size)).toBe(bytes);
      } finally {
        await manager.remove(node, "u1");
      }
      expect(readdirSync(join(directory, "pods"))).toEqual([]);
    });

    test.each([
      ["on disk", {}, 0o777],
      ["in memory", { medium: "Memory" }, 0o1777],
    ])("everyone may write to an emptyDir %s", async (_, emptyDir, mode) => {
      const pod = aPod({ volumes: [{ name: "m", emptyDir }] });
      const path = (await manager.prepare(node, pod)).get("m")?.path ?? "";
      try {
        expect(statSync(path).mode & 0o7777).toBe(mode);
      } finally {
        await manager.remove(node, "u1");
      }
    });

    test("an emptyDir in memory is mounted again after a reboot", async () => {
      const pod = aPod({ volumes: [{ name: "m", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }] });
      const path = (await manager.prepare(node, pod)).get("m")?.path ?? "";
      execFileSync("umount", [path]);
      try {
        await manager.prepare(node, pod);
        expect(execFileSync("findmnt", ["-no", "FSTYPE", path], { encoding: "utf8" })).toBe("tmpfs\n");
      } finally {
        await manager.remove(node, "u1");
      }
    });

    test("a Pod's removal unmounts everything in its volumes, whatever the names, and follows no link", async () => {
      const pod = aPod({ volumes: [{ name: "v", emptyDir: {} }] });
      const volume = (await manager.prepare(node, pod)).get("v")?.path ?? "";
      const kept = join(directory, "kept");
      mkdirSync(kept);
      writeFileSync(join(kept, "file"), "");
      for (const name of ["plain", "two words", "line\nbreak", "back\\slash"]) {
        mkdirSync(join(volume, name));
        execFileSync("mount", ["--bind", kept, join(volume, name)]);
      }
      symlinkSync(kept, join(volume, "link"));
      await manager.remove(node, "u1");
      expect(readdirSync(join(directory, "pods"))).toEqual([]);
      expect(readdirSync(kept)).toEqual(["file"]);
    });
  });
});
