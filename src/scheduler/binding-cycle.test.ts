import { expect, test } from "vitest";
import { aPod } from "./builders.suite.ts";
import { BindingRefused, reserve, runBindingCycle } from "./binding-cycle.ts";
import type { Plugin } from "./framework.ts";

const signal = new AbortController().signal;
const pod = aPod("p");

/** Plugins that note what they are asked, and the notes. */
function recorded(...makes: readonly Partial<Plugin>[]) {
  const calls: string[] = [];
  const note = (name: string, point: string): undefined => {
    calls.push(`${name}.${point}`);
    return undefined;
  };
  const plugins = makes.map((own, i): Plugin => {
    const name = "ab".charAt(i);
    return {
      name,
      reserve: () => note(name, "reserve"),
      unreserve: () => note(name, "unreserve"),
      permit: async () => note(name, "permit"),
      preBind: async () => note(name, "preBind"),
      bind: async () => {
        note(name, "bind");
        return false;
      },
      postBind: () => note(name, "postBind"),
      ...own,
    };
  });
  const run = () =>
    runBindingCycle({ pod, node: "n", plugins, signal }, async () => void calls.push("default"));
  return { calls, plugins, run };
}

test("every plugin is asked at each point, in the order of the profile, and the scheduler binds at last", async () => {
  const { calls, plugins, run } = recorded({}, {});
  reserve({ pod, node: "n", plugins });
  await run();
  const points = ["reserve", "permit", "preBind", "bind"].flatMap((point) => [`a.${point}`, `b.${point}`]);
  expect(calls).toEqual([...points, "default", "a.postBind", "b.postBind"]);
});

test("a plugin that binds ends the search", async () => {
  const { calls, run } = recorded({ bind: () => Promise.resolve(true) }, {});
  await run();
  expect(calls).not.toContain("b.bind");
  expect(calls).not.toContain("default");
  expect(calls.at(-1)).toBe("b.postBind");
});

test("what was reserved is given back, the last first, when a plugin cannot reserve", () => {
  const { calls, plugins } = recorded({}, { reserve: () => "no room" });
  const attempt = () => reserve({ pod, node: "n", plugins });
  expect(attempt).toThrow(new BindingRefused('running Reserve plugin "b": no room'));
  expect(calls).toEqual(["a.reserve", "b.unreserve", "a.unreserve"]);
});

test.each<[string, Partial<Plugin>, string]>([
  ["a permit is refused", { permit: () => Promise.resolve("not yet") }, 'running Permit plugin "b": not yet'],
  ["a preparation fails", { preBind: () => Promise.reject(new Error("no disk")) }, "no disk"],
  ["a binding fails", { bind: () => Promise.reject(new Error("no answer")) }, "no answer"],
])("when %s, everything is given back and nothing is bound", async (_, own, message) => {
  const { calls, run } = recorded({}, own);
  await expect(run()).rejects.toThrow(message);
  expect(calls.slice(-2)).toEqual(["b.unreserve", "a.unreserve"]);
  expect(calls).not.toContain("default");
  expect(calls.some((call) => call.endsWith("postBind"))).toBe(false);
});

test("a plugin need not take part in the cycle", async () => {
  const calls: string[] = [];
  const plugins: readonly Plugin[] = [{ name: "idle" }];
  const cycle = { pod, node: "n", plugins, signal };
  reserve(cycle);
  await runBindingCycle(cycle, async () => void calls.push("default"));
  expect(calls).toEqual(["default"]);
  const failing = runBindingCycle(cycle, () => Promise.reject(new Error("no answer")));
  await expect(failing).rejects.toThrow("no answer");
});

test("a refusal is told from other errors by its name", () => {
  expect(new BindingRefused("no").name).toBe("BindingRefused");
});
