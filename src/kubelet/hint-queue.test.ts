import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { HintQueue } from "./hint-queue.ts";

test("a watcher leaves one listener on its signal, however many hints it gets", async () => {
  const hints = new HintQueue();
  const stop = new AbortController();
  const watch = hints.watch(stop.signal)[Symbol.asyncIterator]();
  for (let round = 0; round < 50; round++) {
    const next = watch.next();
    hints.push(`pod-${round}`);
    expect(await next).toEqual({ done: false, value: `pod-${round}` });
  }
  expect(getEventListeners(stop.signal, "abort").length).toBe(1);
  const last = watch.next();
  stop.abort();
  expect(await last).toMatchObject({ done: true });
  expect(getEventListeners(stop.signal, "abort").length).toBe(0);
});
