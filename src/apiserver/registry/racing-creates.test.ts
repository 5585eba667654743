import { expect, test } from "vitest";
import { ExpectationError } from "../../store/errors.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Expectation, Revision, Write } from "../../store/store.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { inDefault, startBed } from "../server.suite.ts";
import { Codec } from "../resources/codec.ts";

/**
 * A store with a slow disk: commits in progress are checked against expectations, but cannot be read yet (see
 * `Store`).
 */
class SlowStore extends MemoryStore {
  readonly #underWay = new Set<string>();
  #disk = Promise.resolve();

  /** From now on nothing becomes durable until the answer is called. */
  stall(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#disk = promise;
    return resolve;
  }

  override async commit(
    writes: readonly Write[],
    expectations: readonly Expectation[] = [],
  ): Promise<Revision> {
    for (const expected of expectations)
      if (this.#underWay.has(expected.key)) throw new ExpectationError(expected, undefined);
    for (const { key } of writes) this.#underWay.add(key);
    await this.#disk;
    for (const { key } of writes) this.#underWay.delete(key);
    return super.commit(writes, expectations);
  }
}

test("after AlreadyExists, a GET finds the object", async () => {
  const store = new SlowStore({ clock: new VirtualClock(), stamp: new Codec().stamp });
  const bed = await startBed({ store });
  const url = inDefault("configmaps");
  const resume = store.stall();
  const first = bed.post(url, { metadata: { name: "a" } });
  const read = bed.post(url, { metadata: { name: "a" } }).then(async ({ status }) => {
    expect(status).toBe(409);
    return (await bed.get(`${url}/a`)).status;
  });
  await bed.clock.settle();
  resume();
  expect((await first).status).toBe(201);
  expect(await read).toBe(200);
});
