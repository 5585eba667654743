import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTrusted } from "./descriptors.ts";
import { removeTree } from "./remove-tree.ts";

describe.skipIf(process.platform !== "linux")("removing a tree by descriptors", () => {
  let directory: string;
  let parent: number;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-remove-"));
    mkdirSync(join(directory, "tree/deep"), { recursive: true });
    mkdirSync(join(directory, "outside"));
    writeFileSync(join(directory, "outside/kept"), "");
    for (let index = 0; index < 600; index++) writeFileSync(join(directory, "tree", `file${index}`), "");
    parent = openTrusted(directory);
  });
  afterEach(() => {
    closeSync(parent);
    rmSync(directory, { recursive: true });
  });

  test("links are removed, their targets are not", async () => {
    symlinkSync(join(directory, "outside"), join(directory, "tree/absolute"));
    symlinkSync("../../outside", join(directory, "tree/deep/relative"));
    symlinkSync("outside", join(directory, "itself"));
    for (const name of ["tree", "itself", "missing"]) await removeTree(parent, name);
    expect(readdirSync(directory)).toEqual(["outside"]);
    expect(readdirSync(join(directory, "outside"))).toEqual(["kept"]);
  });

  test("large files and the contents of large directories are removed", async () => {
    writeFileSync(join(directory, "tree/deep/file"), Buffer.alloc(2 << 20));
    const crowded = join(directory, "tree/crowded");
    mkdirSync(crowded);
    const name = "x".repeat(250);
    for (let index = 0; statSync(crowded).size < 1 << 20 && index < 8000; index++)
      writeFileSync(join(crowded, `${name}${index}`), "");
    await removeTree(parent, "tree");
    expect(readdirSync(directory)).toEqual(["outside"]);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "no mount is entered, not even one of the same file system",
    async () => {
      const mountPoint = join(directory, "tree/deep");
      execFileSync("mount", ["--bind", join(directory, "outside"), mountPoint]);
      try {
        await expect(removeTree(parent, "tree")).rejects.toThrow("Cannot remove deep: it is a mount point");
        expect(existsSync(join(directory, "outside/kept"))).toBe(true);
      } finally {
        execFileSync("umount", [mountPoint]);
      }
      await removeTree(parent, "tree");
      expect(readdirSync(directory)).toEqual(["outside"]);
    },
  );
});
