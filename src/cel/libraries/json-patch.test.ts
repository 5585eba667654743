import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";
import { standardLibrary } from "../standard/library.ts";
import { CelError } from "../values.ts";
import { JsonPatch, jsonPatches, jsonPatchTypes } from "./json-patch.ts";

const declared = environment({ libraries: [standardLibrary, jsonPatches], types: [jsonPatchTypes] });

function evaluate(source: string): unknown {
  const compiled = compile(declared, source);
  if (!compiled.ok) return compiled.message;
  const { result } = compiled.program.evaluate({});
  return result instanceof CelError ? result.message : result;
}

test("the fields of a patch can be read", () => {
  const patch = evaluate("JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b~/c'), value: 1}");
  expect(patch).toBeInstanceOf(JsonPatch);
  expect(patch).toMatchObject({ op: "add", path: "/a/b~0~1c", from: "", value: 1 });
});

test.each<[string, unknown]>([
  ["JSONPatch{op: 'test', value: [1]} == JSONPatch{op: 'test', value: [1.0]}", true],
  ["JSONPatch{op: 'test'} == JSONPatch{op: 'test', value: 1}", false],
  ["has(JSONPatch{op: 'test'}.path)", false],
  ["JSONPatch{op: 'test', value: 1}.value", 1],
  ["JSONPatch{op: 'test'}.path", ""],
  ["JSONPatch{op: 'test'}.value", null],
  ["dyn(JSONPatch{}).nope", "unsupported indexer: nope"],
  ["JSONPatch{op: dyn(1)}", "unexpected type int64 for JSONPatchType 'op' field"],
])("%s is %j", (source, value) => {
  expect(evaluate(source)).toEqual(value);
});

test.each([
  ["JSONPatch{operation: 'add'}", /undefined field 'operation'/],
  ["JSONPatch{op: 1}", /expected type of field 'op' is 'string' but provided type is 'int'/],
])("%s does not compile", (source, issue) => {
  expect(evaluate(source)).toMatch(issue);
});
