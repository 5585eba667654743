import { expect, test } from "vitest";
import { StoreFailedError } from "../errors.ts";
import type { Commit } from "../index/history.ts";
import { toRevision } from "../revision.ts";
import { GroupCommit } from "./group-commit.ts";

/** A disk that answers on command, with a log of the group's actions. */
class Bench {
  readonly log: string[] = [];
  #answer = Promise.withResolvers<void>();
  #asked = Promise.withResolvers<void>();
  readonly group = new GroupCommit({
    write: (rows) => {
      this.log.push(`write ${rows.map(({ revision }) => revision).join(" ")}`);
      this.#asked.resolve();
      return this.#answer.promise;
    },
    apply: ({ revision }) => this.log.push(`apply ${revision}`),
    abandon: () => this.log.push("abandon"),
  });

  add(...revisions: number[]): Promise<unknown>[] {
    return revisions.map((revision) =>
      this.group.add(commit(revision)).then(
        () => this.log.push(`done ${revision}`),
        (error: unknown) => this.log.push(`failed ${revision}: ${String(error)}`),
      ),
    );
  }

  /** Waits until the disk has work. */
  async busy(): Promise<void> {
    await this.#asked.promise;
    this.#asked = Promise.withResolvers();
  }

  answer(failure?: Error): void {
    const { resolve, reject } = this.#answer;
    this.#answer = Promise.withResolvers();
    if (failure) reject(failure);
    else resolve();
  }
}

function commit(number: number, size = 1): Commit {
  const revision = toRevision(number);
  const entry = { key: "a", value: new Uint8Array(size), revision, created: revision };
  return { revision, time: 0, changes: [{ type: "put", revision, entry }] };
}

test("commits of one turn are one write, and commits during that write are the next", async () => {
  const bench = new Bench();
  const done = bench.add(1, 2);
  await bench.busy();
  done.push(...bench.add(3, 4));
  bench.answer();
  await bench.busy();
  bench.answer();
  await Promise.all(done);
  expect(bench.log).toEqual([
    "write 1 2",
    "write 3 4",
    "apply 1",
    "apply 2",
    "done 1",
    "done 2",
    "apply 3",
    "apply 4",
    "done 3",
    "done 4",
  ]);
});

test("a failed write fails all waiting commits, after they were abandoned", async () => {
  const bench = new Bench();
  const done = bench.add(1);
  await bench.busy();
  done.push(...bench.add(2));
  bench.answer(new Error("disk full"));
  await Promise.all(done);
  expect(bench.log).toEqual([
    "write 1",
    "abandon",
    "failed 1: StoreFailedError: Cannot write: disk full",
    "failed 2: StoreFailedError: Cannot write: disk full",
  ]);
  const retry = bench.add(3);
  await bench.busy();
  bench.answer();
  await Promise.all(retry);
  expect(bench.group.idle).toBe(true);
});

test("commits that were durable before a failure are shown before the rest is abandoned", async () => {
  const bench = new Bench();
  const many = Array.from({ length: 100 }, (_, i) => i + 1);
  const done = bench.add(...many);
  await bench.busy();
  done.push(...bench.add(101));
  bench.answer();
  await bench.busy();
  bench.answer(new Error("disk full"));
  await Promise.all(done);
  const applied = bench.log.filter((line) => line.startsWith("apply"));
  expect(applied).toEqual(many.map((revision) => `apply ${revision}`));
  expect(bench.log.indexOf("abandon")).toBeGreaterThan(bench.log.indexOf("apply 100"));
});

test("commits are refused while too much is waiting for the disk", async () => {
  const bench = new Bench();
  const done = bench.add(1);
  await bench.busy();
  const big = bench.group.add(commit(2, 2 ** 28 + 1));
  expect(() => bench.group.checkRoom()).toThrow(StoreFailedError);
  bench.answer();
  await bench.busy();
  expect(() => bench.group.checkRoom()).not.toThrow();
  bench.answer();
  await Promise.all([...done, big]);
});
