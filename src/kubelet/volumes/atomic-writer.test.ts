import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";

describe.skipIf(process.platform !== "linux")("a volume's files", () => {
  let directory: string;
  let volume: string;
  let outside: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-writer-"));
    volume = join(directory, "volume");
    outside = join(directory, "outside");
    for (const path of [volume, outside]) mkdirSync(path);
    writeFileSync(join(outside, "kept"), "kept");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const file = (path: string, content: string, mode = 0o640) => ({
    path,
    content: Buffer.from(content),
    mode,
  });
  const read = (path: string) => readFileSync(join(volume, path), "utf8");

  test("appear, change and disappear together, through one link", async () => {
    await writeAtomically(volume, [file("a", "1"), file("sub/b", "2", 0o400)]);
    expect([read("a"), read("sub/b")]).toEqual(["1", "2"]);
    expect(readlinkSync(join(volume, "..data"))).toBe("..1");
    expect(lstatSync(join(volume, "..data/sub/b")).mode & 0o7777).toBe(0o400);
    await writeAtomically(volume, [file("a", "1"), file("sub/b", "2", 0o400)]);
    expect(readlinkSync(join(volume, "..data"))).toBe("..1");
    await writeAtomically(volume, [file("a", "3")]);
    expect(readdirSync(volume).sort()).toEqual(["..2", "..data", "a"]);
    expect(read("a")).toBe("3");
  });

  test("may be large and many, and are rewritten when one byte differs", async () => {
    const many = (last: string) => [
      ...Array.from({ length: 200 }, (_, index) => file(`k${index}`, "v")),
      file("large", "x".repeat(200_000) + last),
    ];
    for (const [last, version] of [
      ["a", "..1"],
      ["a", "..1"],
      ["b", "..2"],
    ] as const) {
      await writeAtomically(volume, many(last));
      expect(readlinkSync(join(volume, "..data"))).toBe(version);
      expect(read("large")).toBe("x".repeat(200_000) + last);
    }
    expect(readdirSync(volume)).toHaveLength(203);
  });

  test.each([
    ["a link of its data to elsewhere", () => symlinkSync("../outside", join(volume, "..data"))],
    ["a climbing name of its data", () => symlinkSync("..1/../../outside", join(volume, "..data"))],
    ["a directory for its data", () => mkdirSync(join(volume, "..data/full"), { recursive: true })],
    ["a link at the path of the next files", () => symlinkSync(outside, join(volume, "..1"))],
    ["a link at the path of the temporary one", () => symlinkSync(outside, join(volume, "..data_tmp"))],
    ["links in place of the visible ones", () => symlinkSync(join(outside, "kept"), join(volume, "a"))],
    ["a directory in place of a visible one", () => mkdirSync(join(volume, "a/full"), { recursive: true })],
    ["a foreign link", () => symlinkSync(outside, join(volume, "foreign"))],
  ])("are written inside the volume, whatever a container planted there: %s", async (_, plant) => {
    plant();
    for (const content of ["1", "2"]) {
      await writeAtomically(volume, [file("a", content), file("sub/b", content)]);
      expect([read("a"), read("sub/b")]).toEqual([content, content]);
    }
    expect(readdirSync(volume).sort()).toEqual([expect.stringMatching(/^\.\.\d$/), "..data", "a", "sub"]);
    expect(readdirSync(outside)).toEqual(["kept"]);
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
  });

  test("are rewritten when a file was replaced by a link", async () => {
    await writeAtomically(volume, [file("a", "1")]);
    chmodSync(join(volume, "..1"), 0o755);
    rmSync(join(volume, "..1/a"));
    symlinkSync(join(outside, "kept"), join(volume, "..1/a"));
    await writeAtomically(volume, [file("a", "kept")]);
    expect(lstatSync(join(volume, "..data/a")).isFile()).toBe(true);
  });

  test.each(["", "..", "../a", "/a", "..data", "..x"])("%j is refused as a path", async (path) => {
    await expect(writeAtomically(volume, [file(path, "")])).rejects.toThrow("invalid path in a volume");
  });
});
