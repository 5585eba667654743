import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kubernetesLibraries } from "../../src/expressions/kubernetes-environment.ts";
import { compile } from "../../src/cel/compile.ts";
import { environment } from "../../src/cel/environment.ts";
import { fromJson, toJson } from "../../src/cel/json.ts";
import { bindings } from "../../src/cel/libraries/bindings.ts";
import { dyn } from "../../src/cel/types.ts";
import { CelError } from "../../src/cel/values.ts";

const declared = environment({
  libraries: [...kubernetesLibraries, bindings],
  variables: { x: dyn, y: dyn },
});

/** Kubernetes' limit for one evaluation. */
const budget = 1_000_000;

/** Returns the outcome of an expression: its message when it does not compile, otherwise the error or "value". */
function outcome(source: string, x: unknown = null): string {
  const compiled = compile(declared, source);
  if (!compiled.ok) return compiled.message;
  const { result } = compiled.program.evaluate(
    { x: fromJson(x), y: fromJson({ a: [1, "b", null] }) },
    budget,
  );
  return result instanceof CelError ? result.message : "value";
}

const nest = (open: string, core: string, close: string, depth: number) =>
  open.repeat(depth) + core + close.repeat(depth);

describe("hostile expressions", () => {
  test.each<[string, string, RegExp]>([
    ["parentheses", nest("(", "1", ")", 250), /recursion limit exceeded: 250/],
    ["lists", nest("[", "1", "]", 250), /recursion limit exceeded: 250/],
    ["maps", nest("{1: ", "1", "}", 250), /recursion limit exceeded: 250/],
    ["calls", nest("dyn(", "1", ")", 250), /recursion limit exceeded: 250/],
    ["unclosed parentheses", "(".repeat(90_000), /recursion limit exceeded: 250/],
    ["conditionals", "true ? 1 : ".repeat(250) + "1", /recursion limit exceeded: 250/],
    ["sums", "1" + " + 1".repeat(250), /recursion limit exceeded: 250/],
    ["comparisons", "1" + " < 1".repeat(250), /recursion limit exceeded: 250/],
    ["selections", "x" + ".a".repeat(251), /recursion limit exceeded: 250|max recursion depth exceeded/],
    ["sums in sums", nest("(", "1", " + 1)", 120) + " + 1".repeat(140), /max recursion depth exceeded/],
    ["macros", nest("[1].all(i, ", "true", ")", 250), /recursion limit exceeded: 250/],
    ["copies of copies", `optional.of(1)${".optMap(i, i)".repeat(60)}`, /expression exceeds 75000 nodes/],
    ["types of types", `[1]${".map(a, {a: a})".repeat(60)}`, /type exceeds 1000 parts/],
    ["too long sources", "1".repeat(100_001), /code point size exceeds limit: size: 100001, limit 100000/],
  ])("%s are refused beyond their limit", (_name, source, message) => {
    expect(outcome(source)).toMatch(message);
  });

  test.each<[string, string]>([
    ["parentheses", nest("(", "1", ")", 249)],
    ["lists", nest("[", "1", "]", 249)],
    ["negations in parentheses", nest("!(", "true", ")", 249)],
    ["negations", `${"!".repeat(50_000)}true`],
    ["macros", nest("[1].all(i, ", "true", ")", 120)],
    ["optional maps", nest("optional.of(1).optMap(i, ", "i", ")", 12)],
    ["long conjunctions", Array(9000).fill("true").join(" && ")],
    ["long lists", `[${Array(30_000).fill("1").join(",")}].size() > 0`],
    ["long texts", `'${"é".repeat(99_000)}'.size() > 0`],
    ["conjunctions in parentheses", nest("(true && ", "true", ")", 249)],
  ])("%s are evaluated up to their limit", (_name, source) => {
    expect(outcome(source)).toBe("value");
  });

  test("the budget ends an evaluation that would take too long", () => {
    const many = Array.from({ length: 300 }, (_, i) => i);
    const cubic = "x.all(a, x.all(b, x.all(c, a + b + c >= 0)))";
    expect(outcome(cubic, many)).toBe("operation cancelled: actual cost limit exceeded");
    const doubling = "cel.bind(b, a + a, b.size() > 0)";
    const text = nest("cel.bind(a, a + a, ", doubling, ")", 60).replace("a + a", "x + x");
    expect(outcome(text, "x".repeat(1000))).toBe("operation cancelled: actual cost limit exceeded");
  });

  test("work without a cost in CEL is bounded too", () => {
    const object = { list: Array.from({ length: 1000 }, (_, i) => ({ i, text: "x".repeat(1000) })) };
    const cancelled = "operation cancelled: actual cost limit exceeded";
    expect(outcome("x.list.all(e, x.list.all(f, x == x))", object)).toBe(cancelled);
    expect(outcome("x.list.all(e, x.list.all(f, (f.text + f.text).size() > 0))", object)).toBe(cancelled);
    expect(outcome(`${nest("(", "[x]", ").map(a, [a, a])", 60)}.exists(b, b == b)`)).toBe(cancelled);
    const tree = `${nest("(", "[x]", ").map(a, [a, a])", 60)}[0]`;
    expect(outcome(`cel.bind(t, ${tree}, [1, 2].transformMapEntry(i, v, {t: v}))`)).toBe(cancelled);
    expect(outcome(`[?${tree}]`)).toMatch(/expected type 'optional_type/);
    const compiled = compile(declared, tree);
    const { result = null } = compiled.ok ? compiled.program.evaluate({ x: 1 }, budget) : {};
    expect(() => result instanceof CelError || toJson(result)).toThrow(
      "Cannot convert to JSON: the value is too large",
    );
    expect(outcome(`${nest("(", "[x]", ").map(a, a + a)", 60)}.exists(b, b == b)`, [1, 2])).toMatch(
      /list is too long/,
    );
    expect(outcome(`${nest("(", "[x]", ").map(a, a + a)", 60)}.exists(b, b == b)`, "text")).toBe(cancelled);
  });

  test("names of properties of every JavaScript object are not found in values", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(outcome(`x.${name}`, { a: 1 })).toBe(`no such key: ${name}`);
      expect(outcome(`x['${name}']`, { a: 1 })).toBe(`no such key: ${name}`);
      expect(outcome(name)).toMatch(/undeclared reference/);
      expect(outcome(`${name}(1)`)).toMatch(/undeclared reference/);
      expect(outcome(`x.${name}()`)).toMatch(/undeclared reference/);
    }
  });
});

const word = fc.constantFrom(
  ..."x y a 1 2u 3.5 'a' b'c' true null ( ) [ ] { } . , ? : ! - + * / % < > == != && || in has size all map".split(
    " ",
  ),
  ..."exists filter optMap orValue optional.none() optional.of cel.bind .? [? 'unclosed \\ ` \n // é 𝒳 \u0000".split(
    " ",
  ),
);

describe("random expressions", () => {
  test("any text has an outcome", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 80 })),
        (source) => {
          expect(typeof outcome(source)).toBe("string");
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("any sequence of words has an outcome", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), fc.constantFrom("", " "), (words, gap) => {
        expect(typeof outcome(words.join(gap))).toBe("string");
      }),
      { numRuns: 3000 },
    );
  });

  test("expressions of any JSON have an outcome", () => {
    const uses = fc.constantFrom(
      "x == x",
      "x.all(e, e == e)",
      "x[0]",
      "x.a",
      "x.?a.orValue(1)",
      "x + x",
      "size(x)",
      "[x, x].map(e, e)",
      "string(x)",
      "x < x",
      "type(x)",
      "{'k': x}.k",
      "dyn(x) in [x]",
      "x.transformMapEntry(k, v, {v: k})",
      "optional.ofNonZeroValue(x)",
    );
    fc.assert(
      fc.property(uses, fc.jsonValue(), (source, value) => {
        expect(typeof outcome(source, value)).toBe("string");
      }),
      { numRuns: 2000 },
    );
  });
});
