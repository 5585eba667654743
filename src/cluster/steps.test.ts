import { expect, test } from "vitest";
import { Steps, unlessAborted } from "./steps.ts";

function recorded() {
  const log: string[] = [];
  const stop = new AbortController();
  const steps = new Steps<string>(stop.signal, (event) => log.push(`${event.type} ${event.title}`));
  const step = (title: string) =>
    steps.do({ title, run: () => title, undo: (made, end) => log.push(`undo ${made} ${end}`) });
  return { log, stop, steps, step };
}

test("steps are undone in reverse, once", async () => {
  const { log, steps, step } = recorded();
  await step("a");
  await step("b");
  await steps.undo("now");
  await steps.undo("again");
  expect(log).toEqual(["begin a", "done a", "begin b", "done b", "undo b now", "undo a now"]);
});

test("a failed step is not undone, those before it are, and a failing undo does not stop the others", async () => {
  const { log, steps, step } = recorded();
  await step("a");
  await steps.do({ run: () => {}, undo: () => Promise.reject(new Error("stuck")) });
  await expect(steps.do({ title: "c", run: () => Promise.reject(new Error("no")) })).rejects.toThrow("no");
  await expect(steps.undo("now")).rejects.toThrow("stuck");
  expect(log).toEqual(["begin a", "done a", "begin c", "undo a now"]);
});

test("no step begins after the signal, and the current one is undone too", async () => {
  const { log, stop, steps } = recorded();
  const run = () => stop.abort(new Error("stopped"));
  const step = { title: "a", run, undo: () => log.push("undo a") };
  await expect(steps.do(step)).rejects.toThrow("stopped");
  await expect(steps.do(step)).rejects.toThrow("stopped");
  await steps.undo("now");
  expect(log).toEqual(["begin a", "undo a"]);
});

test("a promise that never settles ends with the signal", async () => {
  const stop = new AbortController();
  const waiting = unlessAborted(stop.signal, new Promise(() => {}));
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  expect(await unlessAborted(new AbortController().signal, Promise.resolve(1))).toBe(1);
});
