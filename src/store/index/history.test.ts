import { expect, test } from "vitest";
import { randomInt, seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import { toRevision } from "../revision.ts";
import { NaiveStore } from "../suite/naive-store.suite.ts";
import { put, remove } from "../suite/values.suite.ts";

test("past states are right on both sides of every checkpoint, even after compaction", async () => {
  const random = seededRandom(1);
  const store = new MemoryStore({ clock: new VirtualClock() });
  const model = new NaiveStore();
  for (let i = 0; i < 5000; i++) {
    const key = `k${randomInt(random, 60)}`;
    const writes = random.next() < 0.4 ? [remove(key)] : [put(key, `${i}`)];
    expect(await store.commit(writes)).toBe(model.commit(writes));
  }
  for (const before of [0, 1023, 1024, 2500]) {
    await store.compact(toRevision(before));
    for (let at = before; at <= store.revision; at += 1 + randomInt(random, 150)) {
      expect(store.list("k", { at: toRevision(at) })).toEqual(model.list("k", { at: toRevision(at) }));
    }
    for (const near of [1023, 1024, 1025, 2047, 2048, 2049].filter((near) => near >= before)) {
      const at = toRevision(near);
      expect(store.list("k", { at, limit: 7 })).toEqual(model.list("k", { at, limit: 7 }));
    }
  }
});
