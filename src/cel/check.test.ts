import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import { environment } from "./environment.ts";
import { bindings } from "./libraries/bindings.ts";
import { standardLibrary } from "./standard/library.ts";

const declared = environment({ libraries: [standardLibrary, bindings] });

/** Counts the distinct type objects, including their parts, that the checker made. */
function typesMade(source: string): number {
  const compiled = compile(declared, source);
  if (!compiled.ok) throw new Error(compiled.message);
  const all = new Set(compiled.program.checked.types.filter((type) => type !== undefined));
  for (const type of all) for (const part of type.parameters) all.add(part);
  return all.size;
}

test.each([
  ["known", `[1]${".map(a, {a: a})".repeat(8)}`],
  ["open", `[]${".map(a, {a: a})".repeat(8)}`],
])("a large type that is %s is made once, no matter how often it is used", (_name, large) => {
  const using = (times: number) => `cel.bind(a, ${large}, [${"a, ".repeat(times)}a].size() > 0)`;
  expect(typesMade(using(1000))).toBe(typesMade(using(1)));
});
