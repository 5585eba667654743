import { expect, test } from "vitest";
import { seededRandom } from "../util/random.ts";
import { aPod } from "./builders.suite.ts";
import type { Plugin, Preemption } from "./framework.ts";
import { runPostFilter } from "./post-filter.ts";
import { Snapshot } from "./snapshot.ts";

const none = (why: string, isUnderWay = false): Preemption => ({ type: "none", why, isUnderWay });
const room: Preemption = { type: "preempt", candidate: { node: "n", victims: [], violations: 0 } };

async function run(...answers: readonly (Preemption | Promise<Preemption> | undefined)[]) {
  const asked: number[] = [];
  const plugins = answers.map((answer, i) => {
    const postFilter = answer && (() => (asked.push(i), answer));
    const plugin: Plugin = { name: `p${i}`, ...(postFilter && { postFilter }) };
    return { plugin, weight: 0 };
  });
  const context = {
    snapshot: new Snapshot(),
    plugins,
    budgets: [],
    resolvable: [],
    random: seededRandom(1),
  };
  return { preemption: await runPostFilter(aPod("p"), context), asked };
}

test("the first plugin that makes room decides, and no other is asked after it", async () => {
  const answers = [undefined, none("a"), Promise.resolve(room), none("b")];
  expect(await run(...answers)).toEqual({ preemption: room, asked: [1, 2] });
});

test("without room, the reasons of all plugins are in order, and one preemption under way is enough", async () => {
  const { preemption } = await run(none("a", true), undefined, Promise.resolve(none("b")));
  expect(preemption).toEqual(none("a, b", true));
  expect((await run(none("a"))).preemption).toEqual(none("a"));
  expect((await run()).preemption).toEqual(none(""));
});
