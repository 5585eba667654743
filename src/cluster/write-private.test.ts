import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { expect, test } from "vitest";
import { useDirectory } from "./temporary-directory.suite.ts";
import { makePrivateDirectory, writePrivate } from "./write-private.ts";

const own = useDirectory();
const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a file is the user's alone, unless another mode is asked for", () => {
  writePrivate(own.in("key"), "secret");
  writePrivate(own.in("public"), "open", { mode: 0o644 });
  expect([modeOf(own.in("key")), modeOf(own.in("public"))]).toEqual([0o600, 0o644]);
  writeFileSync(own.in("was-open"), "", { mode: 0o644 });
  writePrivate(own.in("was-open"), "secret");
  expect(modeOf(own.in("was-open"))).toBe(0o600);
  expect(readFileSync(own.in("was-open"), "utf8")).toBe("secret");
});

test("a link in the place of the file is replaced, and what it points at stays as it is", () => {
  writeFileSync(own.in("target"), "theirs");
  symlinkSync(own.in("target"), own.in("link"));
  writePrivate(own.in("link"), "mine");
  expect(readFileSync(own.in("target"), "utf8")).toBe("theirs");
  expect(readFileSync(own.in("link"), "utf8")).toBe("mine");
});

test("a write that fails leaves the old file and nothing else", () => {
  mkdirSync(own.in("folder"));
  expect(() => writePrivate(own.in("folder"), "text")).toThrow();
  expect(() => writePrivate(own.in("no/such/folder"), "text")).toThrow("ENOENT");
  expect(readdirSync(own.path)).toEqual(["folder"]);
});

test.skipIf(process.getuid?.() !== 0)(
  "a file and the directories on its way get the owner that is asked for",
  () => {
    const owner = { uid: 12_345, gid: 54_321 };
    mkdirSync(own.in("there"));
    makePrivateDirectory(own.in("there/a/b"), owner);
    writePrivate(own.in("there/a/b/file"), "text", { owner });
    const ownerOf = (path: string) => [statSync(path).uid, statSync(path).gid];
    for (const path of ["there/a", "there/a/b", "there/a/b/file"])
      expect([path, ...ownerOf(own.in(path))]).toEqual([path, 12_345, 54_321]);
    makePrivateDirectory(own.in("there"), owner);
    expect(ownerOf(own.in("there"))).toEqual([0, 0]);
    expect(modeOf(own.in("there/a"))).toBe(0o700);
  },
);

test("directories that are there already stay as they are", () => {
  mkdirSync(own.in("there"), { mode: 0o755 });
  makePrivateDirectory(own.in("there"), undefined);
  expect(existsSync(own.in("there"))).toBe(true);
  expect(modeOf(own.in("there"))).toBe(0o755);
});
