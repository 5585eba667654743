import { expect, test } from "vitest";
import type { TerminalSize } from "../runtime.ts";
import { latestOnly } from "./terminal-size.ts";

test("sizes are applied one at a time, skipping those that a newer one replaced", async () => {
  const applied: number[] = [];
  const [gate, idle] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const resize = latestOnly(async ({ width }: TerminalSize) => {
    applied.push(width);
    if (width === 1) await gate.promise;
    if (width === 3) idle.resolve();
  });
  for (const width of [1, 2, 3]) resize({ width, height: 1 });
  expect(applied).toEqual([1]);
  gate.reject(new Error("the terminal is gone"));
  await idle.promise;
  expect(applied).toEqual([1, 3]);
});
