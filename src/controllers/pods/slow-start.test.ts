import { expect, test } from "vitest";
import { slowStart } from "./slow-start.ts";

/** Counts calls that run at the same time; the call with number `failing` fails. */
function calls(failing?: number) {
  const batches: number[] = [];
  let made = 0;
  let open = 0;
  const call = async () => {
    const mine = ++made;
    if (open++ === 0) batches.push(0);
    batches.push((batches.pop() ?? 0) + 1);
    await Promise.resolve();
    open -= 1;
    if (mine === failing) throw new Error(`call ${mine}`);
  };
  return { call, batches };
}

test("batches double until all calls are made", async () => {
  const { call, batches } = calls();
  expect(await slowStart(10, call)).toEqual({ succeeded: 10, error: undefined });
  expect(batches).toEqual([1, 2, 4, 3]);
});

test("no batch begins after one with a failure", async () => {
  const { call, batches } = calls(3);
  expect(await slowStart(100, call)).toEqual({ succeeded: 2, error: new Error("call 3") });
  expect(batches).toEqual([1, 2]);
});

test("no batch begins once `stop` returns true", async () => {
  const { call, batches } = calls();
  expect(await slowStart(100, call, () => batches.length === 2)).toEqual({ succeeded: 3, error: undefined });
  expect(await slowStart(0, call)).toEqual({ succeeded: 0, error: undefined });
});
