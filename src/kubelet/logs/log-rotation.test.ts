import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { aContainer, aSandbox } from "../pod/builders.suite.ts";
import { LogRotation } from "./log-rotation.ts";
import { removeLogs, removePodLogs } from "./remove-logs.ts";
import { planRotation, rotatedName } from "./rotation-plan.ts";

describe("a rotation", () => {
  test.each<
    readonly [what: string, names: readonly string[], remove: readonly string[], compress: readonly string[]]
  >([
    ["has nothing to do at first", ["0.log", "1.log"], [], []],
    ["compresses what was rotated before", ["0.log", "0.log.1", "0.log.2.gz"], [], ["0.log.1"]],
    [
      "removes the oldest",
      ["0.log.1.gz", "0.log.2.gz", "0.log.3.gz", "0.log.4"],
      ["0.log.1.gz"],
      ["0.log.4"],
    ],
    ["removes unfinished files", ["0.log.1", "0.log.1.gz", "0.log.2.tmp"], ["0.log.1", "0.log.2.tmp"], []],
    ["leaves other logs", ["10.log.1", "0.logs"], [], []],
  ])("%s", (_what, names, remove, compress) => {
    expect(planRotation("0.log", names, 5)).toEqual({ remove, compress });
  });

  test("names the old log by the time in UTC", () => {
    expect(rotatedName("0.log", Date.UTC(2026, 0, 31, 23, 59, 58))).toBe("0.log.20260131-235958");
  });
});

describe.skipIf(process.platform !== "linux")("the logs of containers", () => {
  let root: string;
  let directory: string;
  let clock: VirtualClock;
  let reopen: () => void;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "knarr-logs-"));
    directory = join(root, "ns_p_u1", "a");
    mkdirSync(directory, { recursive: true });
    clock = new VirtualClock();
    reopen = () => appendFileSync(log(), "");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const log = () => join(directory, "0.log");
  const rotation = (state: "running" | "exited" = "running") => {
    const container = aContainer("a", state, { logPath: log() });
    const runtime = { reopenLog: () => Promise.resolve(reopen()) };
    const settings = { maxBytes: 4, maxFiles: 3, intervalMs: 10_000 };
    const sandboxes = () => [aSandbox([container])];
    return new LogRotation({ env: { clock, log: silentLogger }, runtime, settings, sandboxes });
  };

  test("are rotated at their size, compressed, and removed with the container", async () => {
    for (const text of ["one", "two", "three", "four"]) {
      appendFileSync(log(), text);
      await rotation().rotate();
      await clock.advance(1000);
    }
    const [first, second, third] = readdirSync(directory).sort();
    expect([first, second, third]).toEqual([
      "0.log",
      expect.stringMatching(/^0\.log\.\d{8}-\d{6}\.gz$/),
      expect.stringMatching(/^0\.log\.\d{8}-\d{6}$/),
    ]);
    expect(gunzipSync(readFileSync(join(directory, second ?? ""))).toString()).toBe("three");
    expect(readFileSync(join(directory, third ?? ""), "utf8")).toBe("four");
    writeFileSync(join(directory, "1.log"), "");
    await removeLogs(log());
    expect(readdirSync(directory)).toEqual(["1.log"]);
  });

  test("of a Pod that is gone are removed", async () => {
    writeFileSync(log(), "text");
    mkdirSync(join(root, "ns_q_u2"));
    await removePodLogs(root, "u1");
    expect(readdirSync(root)).toEqual(["ns_q_u2"]);
  });

  test("of a container that has ended stay", async () => {
    writeFileSync(log(), "long enough");
    await rotation("exited").rotate();
    expect(readdirSync(directory)).toEqual(["0.log"]);
  });

  test("that are lost are created again", async () => {
    await rotation().rotate();
    expect(readdirSync(directory)).toEqual(["0.log"]);
  });

  test("keep their name when the runtime does not open them again", async () => {
    writeFileSync(log(), "long enough");
    reopen = () => {
      throw new Error("no");
    };
    await rotation().rotate();
    expect(readdirSync(directory)).toEqual(["0.log"]);
  });

  test("are not followed when a container replaces them by links", async () => {
    writeFileSync(join(root, "secret"), "long enough");
    symlinkSync(join(root, "secret"), log());
    await rotation().rotate();
    expect(readdirSync(directory)).toEqual(["0.log"]);
    rmSync(directory, { recursive: true });
    symlinkSync(root, directory);
    await rotation().rotate();
    await expect(removeLogs(join(directory, "secret"))).rejects.toThrow("too many levels of symbolic links");
    expect(readFileSync(join(root, "secret"), "utf8")).toBe("long enough");
  });
});
