import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import { compilingTogether } from "./effort.ts";
import { environment } from "./environment.ts";
import { standardLibrary } from "./standard/library.ts";

const declared = environment({ libraries: [standardLibrary] });
const tooLong = "ERROR: <input>:-1:0: expressions take too long to compile";

/** Counts the compilations of a source, up to `many`, before the first one that takes too long. */
function compiledOf(source: string, many: number): number {
  for (let i = 0; i < many; i++) {
    const compiled = compile(declared, source);
    if (!compiled.ok && compiled.message === tooLong) return i;
  }
  return many;
}

/** Runs work as one item of `compilingTogether`. */
function together<T>(work: () => T): T | undefined {
  const one = function* () {
    yield work();
  };
  return compilingTogether(one()).next().value as T | undefined;
}

const conjunction = (parts: number) => Array(parts).fill("true").join("&&");

test("expressions that are compiled together share the steps of one expression", () => {
  const [long, longer] = [conjunction(1000), conjunction(2000)];
  const [most, fewer] = [long, longer].map((source) => together(() => compiledOf(source, 500)));
  expect(most).toBeGreaterThan(25);
  expect(most).toBeLessThan(50);
  expect(fewer).toBe(Math.floor((most ?? 0) / 2));
  expect(compiledOf(long, 60)).toBe(60);
});

test("items share their steps, and are compiled one by one", () => {
  let made = 0;
  const items = function* () {
    for (;;) yield compiledOf(conjunction(1000), ++made);
  };
  const found: number[] = [];
  for (const compiled of compilingTogether(items())) if (found.push(compiled) === 20) break;
  expect(made).toBe(20);
  expect(found.slice(0, 3)).toEqual([1, 2, 3]);
  expect(found.at(-1)).toBe(0);
});

test("a nested group shares the steps of the outer one, and a later group has its own", () => {
  const long = conjunction(1000);
  together(() => {
    expect(together(() => compiledOf(long, 500))).toBeLessThan(100);
    expect(compiledOf("true", 1)).toBe(0);
  });
  expect(together(() => compiledOf("true", 1))).toBe(1);
});

test.each([
  ["texts", `'${"a".repeat(90_000)}'`],
  ["patterns", `'a'.matches('${"\\\\pL".repeat(500)}')`],
  ["messages that quote long lines", Array(100).fill("a").join("+") + " ".repeat(16_000)],
])("%s take steps, too", (_name, source) => {
  expect(together(() => compiledOf(source, 500))).toBeLessThan(50);
});
