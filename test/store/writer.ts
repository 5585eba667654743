import { writeSync } from "node:fs";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { systemClock } from "../../src/util/clock.ts";

/**
 * Writes until it is killed: `node writer.ts FILE WRITERS`. Each commit puts the same number under two keys. A line
 * `KEY NUMBER REVISION` on stdout acknowledges a commit after the store did.
 */
const [file = "", writers = "1"] = process.argv.slice(2);
const store = await SqliteStore.open(file, { clock: systemClock, historyMs: 50 });

/**
 * Writes a line synchronously: a line that the parent has read was written before the kill. The loop waits for a slow
 * parent.
 */
function acknowledge(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

async function write(writer: number): Promise<void> {
  let number = Number(Buffer.from(store.read(`left/${writer}`)?.value ?? []).toString() || 0);
  for (;;) {
    number++;
    const value = () => Buffer.from(`${number}`);
    const revision = await store.commit([
      { type: "put", key: `left/${writer}`, value: value() },
      { type: "put", key: `right/${writer}`, value: value() },
    ]);
    acknowledge(`${writer} ${number} ${revision}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
