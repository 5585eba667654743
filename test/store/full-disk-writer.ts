import { writeSync } from "node:fs";
import { once } from "node:events";
import { StoreFailedError } from "../../src/store/errors.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { systemClock } from "../../src/util/clock.ts";

/**
 * Fills the disk: `node full-disk-writer.ts FILE`. Prints `full REVISION MESSAGE` when a commit is refused, waits for a
 * line on stdin, commits once more and prints `resumed REVISION KEYS`.
 */
const store = await SqliteStore.open(process.argv[2] ?? "", { clock: systemClock });
const value = () => Buffer.alloc(20_000, "x");

async function fill(): Promise<unknown> {
  for (let i = 0; ; i++) {
    try {
      await store.commit([
        { type: "put", key: `a/${i}`, value: value() },
        { type: "put", key: `b/${i}`, value: value() },
      ]);
    } catch (error) {
      return error;
    }
  }
}

const error = await fill();
if (!(error instanceof StoreFailedError)) throw error;
await store.commit([{ type: "put", key: "still", value: value() }]).then(
  () => writeSync(1, "not full\n"),
  () => writeSync(1, `full ${store.revision} ${error.message}\n`),
);
await once(process.stdin, "data");
const revision = await store.commit([{ type: "put", key: "resumed", value: value() }]);
writeSync(1, `resumed ${revision} ${store.list("").entries.length}\n`);
await store.close();
process.stdin.destroy();
