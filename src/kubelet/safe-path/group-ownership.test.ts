import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTrusted } from "./descriptors.ts";
import { giveToGroup, type GroupOwnership } from "./group-ownership.ts";

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)("the group of a volume", () => {
  let directory: string;
  let volume: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-group-"));
    volume = join(directory, "volume");
    mkdirSync(join(volume, "sub"), { recursive: true });
    writeFileSync(join(volume, "sub", "file"), "", { mode: 0o600 });
    writeFileSync(join(directory, "outside"), "", { mode: 0o600 });
    symlinkSync(join(directory, "outside"), join(volume, "link"));
    chmodSync(volume, 0o755);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  async function give(more: Partial<GroupOwnership> = {}): Promise<void> {
    const root = openTrusted(volume);
    try {
      await giveToGroup(root, { group: 1234, readOnly: false, onRootMismatch: false, ...more });
    } finally {
      closeSync(root);
    }
  }
  const shown = (path: string) => {
    const { gid, mode } = lstatSync(path);
    return `${gid} ${(mode & 0o7777).toString(8)}`;
  };

  test("is set on directories, files and links, and not on what links point to", async () => {
    await give();
    expect(shown(volume)).toBe("1234 2775");
    expect(shown(join(volume, "sub"))).toBe("1234 2775");
    expect(shown(join(volume, "sub", "file"))).toBe("1234 660");
    expect(lstatSync(join(volume, "link")).gid).toBe(1234);
    expect(shown(join(directory, "outside"))).toBe("0 600");
  });

  test("can only read a read-only volume", async () => {
    await give({ readOnly: true });
    expect(shown(join(volume, "sub", "file"))).toBe("1234 640");
  });

  test("is compared with the root's where only a mismatch is changed", async () => {
    await give();
    writeFileSync(join(volume, "late"), "", { mode: 0o600 });
    chmodSync(join(volume, "sub", "file"), 0o600);
    await give({ onRootMismatch: true });
    expect(statSync(join(volume, "sub", "file")).mode & 0o777).toBe(0o600);
    await give({ onRootMismatch: true, group: 77 });
    expect(shown(join(volume, "late"))).toBe("77 660");
    chmodSync(volume, 0o755);
    await give({ onRootMismatch: true, group: 77 });
    expect(shown(volume)).toBe("77 2775");
  });
});
