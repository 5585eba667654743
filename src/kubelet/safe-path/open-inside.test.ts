import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { at, openTrusted, withDescriptors } from "./descriptors.ts";
import { type InsideOptions, openInside } from "./open-inside.ts";

describe.skipIf(process.platform !== "linux")("a walk by descriptors", () => {
  let directory: string;
  let root: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-walk-"));
    root = join(directory, "root");
    mkdirSync(join(root, "dir/deep"), { recursive: true });
    mkdirSync(join(directory, "outside"));
    writeFileSync(join(root, "file"), "");
    const links = {
      relative: "dir/deep",
      absolute: "/dir/deep",
      up: "../outside",
      around: "dir/../dir/deep",
      climbing: "../../../../../../../../../../../dir",
      loop: "loop",
      ping: "pong",
      pong: "ping",
      dangling: "missing",
      magic: `/proc/${process.pid}/root`,
      host: join(directory, "outside"),
      "dir/back": "..",
      "dir/aside": "../dir/deep",
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Returns the walk's end, relative to the root, or the error's code. */
  function walk(path: string, options: InsideOptions): string {
    return withDescriptors((open) => {
      try {
        const found = open.add(openInside(open.add(openTrusted(root)), path, options));
        return readlinkSync(at(found)).slice(root.length) || "/";
      } catch (error) {
        return error instanceof Error && "code" in error ? String(error.code) : String(error);
      }
    });
  }

  const deep = "/dir/deep";
  // The path, its end beneath the root, and its end with the root as `/`.
  const table: readonly (readonly [string, string, string])[] = [
    ["", "/", "/"],
    [".", "/", "/"],
    ["dir/deep", deep, deep],
    ["dir//./deep/", deep, deep],
    ["/dir/deep", deep, deep],
    ["..", "EXDEV", "/"],
    ["../outside", "EXDEV", "ENOENT"],
    ["dir/../../outside", "EXDEV", "ENOENT"],
    ["dir/..", "/", "/"],
    ["relative", deep, deep],
    ["relative/", deep, deep],
    ["relative/..", "/dir", "/dir"],
    ["absolute", "EXDEV", deep],
    ["absolute/..", "EXDEV", "/dir"],
    ["up", "EXDEV", "ENOENT"],
    ["around", deep, deep],
    ["climbing", "EXDEV", "/dir"],
    ["loop", "ELOOP", "ELOOP"],
    ["ping", "ELOOP", "ELOOP"],
    ["dangling", "ENOENT", "ENOENT"],
    ["dangling/below", "ENOENT", "ENOENT"],
    ["magic", "EXDEV", "ENOENT"],
    ["host", "EXDEV", "ENOENT"],
    ["dir/back/file", "/file", "/file"],
    ["dir/back/dir/aside", deep, deep],
    ["file", "/file", "/file"],
    ["file/", "ENOTDIR", "ENOTDIR"],
    ["file/.", "ENOTDIR", "ENOTDIR"],
    ["file/..", "ENOTDIR", "ENOTDIR"],
    ["file/below", "ENOTDIR", "ENOTDIR"],
    ["missing", "ENOENT", "ENOENT"],
    ["missing/../dir", "ENOENT", "ENOENT"],
    ["nul\0byte", "ERR_INVALID_ARG_VALUE", "ERR_INVALID_ARG_VALUE"],
    ["x".repeat(256), "ENAMETOOLONG", "ENAMETOOLONG"],
    ["x/".repeat(3000), "ENAMETOOLONG", "ENAMETOOLONG"],
    ["dir/back/".repeat(41), "ELOOP", "ELOOP"],
    ["d/".repeat(300), "ENOENT", "ENOENT"],
  ];

  test.each(table)("%j ends at %s beneath the root, and at %s inside it", (path, beneath, inside) => {
    expect(walk(path, { scope: "beneath" })).toBe(beneath);
    expect(walk(path, { scope: "root" })).toBe(inside);
  });

  test.each([
    ["new/deeper", "/new/deeper", "/new/deeper"],
    ["relative/new", "/dir/deep/new", "/dir/deep/new"],
    ["dangling", "/missing", "/missing"],
    ["absolute/new", "EXDEV", "/dir/deep/new"],
    ["up/new", "EXDEV", "/outside/new"],
    ["file/new", "ENOTDIR", "ENOTDIR"],
    ["magic/new", "EXDEV", `/proc/${process.pid}/root/new`],
  ])("missing parts of %j are created only inside the root", (path, beneath, inside) => {
    for (const [scope, wanted] of [
      ["beneath", beneath],
      ["root", inside],
    ] as const) {
      expect(walk(path, { scope, create: { last: "directory", mode: 0o2770 } })).toBe(wanted);
      if (wanted.startsWith("/")) expect(statSync(join(root, wanted)).mode & 0o7777).toBe(0o2770);
    }
    expect(readdirSync(join(directory, "outside"))).toEqual([]);
    expect(existsSync("/new")).toBe(false);
  });

  test("the last part can be created as a file, and an existing file is kept", () => {
    const create = { last: "file", mode: 0o755 } as const;
    expect(walk("new/inner", { scope: "root", create })).toBe("/new/inner");
    expect(statSync(join(root, "new/inner")).isFile()).toBe(true);
    writeFileSync(join(root, "file"), "kept");
    expect(walk("file", { scope: "root", create })).toBe("/file");
    expect(statSync(join(root, "file")).size).toBe(4);
  });

  test("no descriptor is left open", () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    for (const [path] of table) walk(path, { scope: "root" });
    expect(open()).toBe(before);
  });

  test("no walk of a thousand leaves the root while a directory and a link swap places", async () => {
    const inside = join(root, "swapped");
    mkdirSync(inside);
    const outside = statSync(join(directory, "outside")).ino;
    const ends = new Map<string, number>();
    const rootDescriptor = openTrusted(root);
    // The walks are synchronous, so the racer needs its own process.
    const swap = `const fs = require("fs");
      const attempt = (work) => { try { work(); } catch {} };
      for (;;) {
        attempt(() => fs.renameSync("swapped", "aside"));
        attempt(() => fs.symlinkSync("../outside", "swapped"));
        attempt(() => fs.rmSync("aside", { recursive: true }));
        attempt(() => fs.unlinkSync("swapped"));
        attempt(() => fs.mkdirSync("swapped"));
      }`;
    const racer = spawn(process.execPath, ["-e", swap], { cwd: root, stdio: "ignore" });
    try {
      for (let round = 0; round < 1000 || (!ends.has("EXDEV") && round < 100_000); round++) {
        let end: string;
        try {
          const found = openInside(rootDescriptor, "swapped/below", {
            scope: "beneath",
            create: { last: "directory", mode: 0o750 },
          });
          end = statSync(`${at(found)}/..`).ino === outside ? "outside" : "inside";
          closeSync(found);
        } catch (error) {
          end = error instanceof Error && "code" in error ? String(error.code) : String(error);
        }
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    } finally {
      racer.kill("SIGKILL");
      await once(racer, "exit");
      closeSync(rootDescriptor);
    }
    expect([...ends.keys()].sort()).toEqual(expect.arrayContaining(["EXDEV", "inside"]));
    expect(ends.has("outside")).toBe(false);
    expect(readdirSync(join(directory, "outside"))).toEqual([]);
  });
});
