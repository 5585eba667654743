import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { appendToLog, openLog } from "./log-file.ts";

describe.skipIf(process.platform !== "linux")("a log's file", () => {
  let root: string;
  let path: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "knarr-logs-"));
    mkdirSync(join(root, "elsewhere/main"), { recursive: true });
    writeFileSync(join(root, "elsewhere/main/0.log"), "private");
    path = join(root, "pod/main/0.log");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test("is created with its directories, appended to and read", async () => {
    expect(await openLog(path)).toBeUndefined();
    for (const text of ["one ", "two"]) {
      const file = appendToLog(path);
      writeSync(file, text);
      closeSync(file);
    }
    const file = await openLog(path);
    expect(await file?.readFile("utf8")).toBe("one two");
    await file?.close();
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test.each([
    ["the file", () => symlinkSync("../../elsewhere/main/0.log", path), "ELOOP"],
    [
      "the container's directory",
      () => {
        rmSync(join(root, "pod/main"), { recursive: true });
        symlinkSync("../elsewhere/main", join(root, "pod/main"));
      },
      "ELOOP",
    ],
    [
      "the Pod's directory",
      () => {
        rmSync(join(root, "pod"), { recursive: true });
        symlinkSync("elsewhere", join(root, "pod"));
      },
      "ELOOP",
    ],
    ["a directory", () => mkdirSync(path), "EINVAL"],
  ])("is neither read nor written when a link or another file replaces %s", async (_, plant, code) => {
    mkdirSync(join(root, "pod/main"), { recursive: true });
    plant();
    await expect(openLog(path)).rejects.toMatchObject({ code });
    expect(() => appendToLog(path)).toThrow(expect.objectContaining({ code }));
    expect(readdirSync(join(root, "elsewhere/main"))).toEqual(["0.log"]);
    expect(readFileSync(join(root, "elsewhere/main/0.log"), "utf8")).toBe("private");
  });
});
