import {
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
import { afterEach, beforeEach, expect, test } from "vitest";
import { HostDirectories } from "./local-directories.ts";

let parent: string;
let root: string;
let nodes: ReadonlySet<string> | undefined;
let directories: HostDirectories;
const volume = "pvc-00000000-0000-4000-8000-000000000001";

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "knarr-local-"));
  root = join(parent, "local-path");
  nodes = new Set(["node-1"]);
  directories = new HostDirectories(root, () => nodes);
});
afterEach(() => rmSync(parent, { recursive: true }));

test("only the nodes of this process have directories", () => {
  expect(directories.rootOf("node-1")).toBe(root);
  expect(directories.rootOf("node-2")).toBeUndefined();
  nodes = undefined;
  expect(directories.isReady()).toBe(false);
  expect(directories.rootOf("node-1")).toBeUndefined();
});

test("a directory is open to its containers' users, below one that only root can enter", async () => {
  await directories.make("node-1", volume);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, volume)).mode & 0o777).toBe(0o777);
  writeFileSync(join(root, volume, "kept"), "");
  await directories.make("node-1", volume);
  expect(readdirSync(join(root, volume))).toEqual(["kept"]);
});

test.skipIf(process.platform !== "linux")("a removal follows no link", async () => {
  await directories.make("node-1", volume);
  mkdirSync(join(parent, "outside"));
  writeFileSync(join(parent, "outside", "file"), "");
  symlinkSync(join(parent, "outside"), join(root, volume, "link"));
  await directories.remove("node-1", volume);
  await directories.remove("node-1", volume);
  expect(existsSync(join(root, volume))).toBe(false);
  expect(readdirSync(join(parent, "outside"))).toEqual(["file"]);
});

test.each(["..", ".", "", "pvc-../x", "other"])("the name %j is refused", async (name) => {
  await expect(directories.make("node-1", name)).rejects.toThrow("Cannot use the volume name");
  await expect(directories.remove("node-1", name)).rejects.toThrow("Cannot use the volume name");
});
