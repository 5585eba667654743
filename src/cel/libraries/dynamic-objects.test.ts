import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";
import { standardLibrary } from "../standard/library.ts";
import { dynamicObjectTypes } from "./dynamic-objects.ts";

const declared = environment({ libraries: [standardLibrary], types: [dynamicObjectTypes] });

function evaluate(source: string): unknown {
  const compiled = compile(declared, source);
  return compiled.ok ? compiled.program.evaluate({}).result : compiled.message;
}

test.each([
  ["Object{a: 1}.a == 1", true],
  ["has(Object{a: 1}.b)", false],
  ["Object{a: Object.a{b: [1]}} == Object{a: Object.a{b: [1]}}", true],
  ["Object{a: 1} == Object{a: 2}", false],
  ["Object{a: 1} == Object{}", false],
  ["dyn(Object.a{}) == dyn(Object.b{})", false],
  ["Other{} == 1", expect.stringContaining("undeclared reference to 'Other'")],
])("%s is %j", (source, value) => {
  expect(evaluate(source)).toEqual(value);
});
