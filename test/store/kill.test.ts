import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Entry } from "../../src/store/store.ts";
import { systemClock } from "../../src/util/clock.ts";
import { randomInt, seededRandom } from "../../src/util/random.ts";

const kills = 100;
const writers = 20;
const writerFile = join(import.meta.dirname, "writer.ts");

interface Acknowledged {
  readonly number: number;
  readonly revision: number;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knarr-kill-"));
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * Runs a writer, kills it after the given number of acknowledgements, and returns the last acknowledgement of each key.
 */
async function writeAndKill(file: string, count: number): Promise<Map<string, Acknowledged>> {
  const child = spawn(process.execPath, [writerFile, file, `${writers}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const acknowledged = new Map<string, Acknowledged>();
  let lines = 0;
  for await (const line of createInterface(child.stdout)) {
    if (++lines === count) child.kill("SIGKILL");
    // The kill may cut off the last line.
    const match = /^(\d+) (\d+) (\d+)$/.exec(line);
    if (match?.[1]) acknowledged.set(match[1], { number: Number(match[2]), revision: Number(match[3]) });
  }
  const [, signal] = await closed;
  expect(signal).toBe("SIGKILL");
  return acknowledged;
}

const numberIn = (entry: Entry | undefined) => Number(Buffer.from(entry?.value ?? []).toString());

test("kill -9 loses no acknowledged write and splits no commit", async () => {
  const file = join(folder, "store.db");
  const random = seededRandom(20_260_101);
  let revision = 0;
  for (let kill = 0; kill < kills; kill++) {
    const acknowledged = await writeAndKill(file, 1 + randomInt(random, 400));
    expect(acknowledged.size).toBeGreaterThan(0);
    const store = await SqliteStore.open(file, { clock: systemClock });
    for (const [writer, { number, revision: written }] of acknowledged) {
      const left = store.read(`left/${writer}`);
      const right = store.read(`right/${writer}`);
      // A commit that was durable but not acknowledged may have come later.
      expect(numberIn(left)).toBeGreaterThanOrEqual(number);
      expect(left?.revision).toBeGreaterThanOrEqual(written);
      if (numberIn(left) === number) expect(left?.revision).toBe(written);
      expect([numberIn(right), right?.revision]).toEqual([numberIn(left), left?.revision]);
      expect(written).toBeGreaterThan(revision);
    }
    expect(store.revision).toBeGreaterThan(revision);
    revision = store.revision;
    await store.close();
  }
}, 120_000);
