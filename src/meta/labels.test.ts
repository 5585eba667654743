import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSelector } from "./label-parser.ts";
import {
  everything,
  type LabelOperator,
  nothing,
  type Requirement,
  requirement,
  selectorOf,
  selectorOfLabels,
  SelectorError,
} from "./labels.ts";

const nameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SelectorError) return error.message;
  }
  throw new TypeError("nothing was refused");
}

describe("label selector parser", () => {
  test.each([
    ["", ""],
    ["a=b,c!=d,e in (x,y),!f", "a=b,c!=d,e in (x,y),!f"],
    [" z , a==1 ,in", "a==1,in,z"],
    ["a in (,x)", "a in (,x)"],
    ["a notin ()", "a notin ()"],
    ["a in (in,notin)", "a in (in,notin)"],
    ["n > 3,m<1", "m<1,n>3"],
    ["a in (y,x,y)", "a in (x,y)"],
    ["n>+3", undefined],
    ["n>-3,m< -1", undefined],
    ["a in (x,,y)", "a in (,x,y)"],
    ["a in (x,)", "a in (,x)"],
    ["a in (,)", "a in ()"],
    ["in in (in)", "in in (in)"],
    ["\t!a\n", "!a"],
    ["a=", "a="],
    ["a,", undefined],
  ])("reads %j as upstream does", (text, printed) => {
    if (printed === undefined) expect(() => parseSelector(text)).toThrow(SelectorError);
    else expect(parseSelector(text).toString()).toBe(printed);
  });

  test.each([
    ["a,", "found '', expected: identifier after ','"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["=a", "found '=', expected: !, identifier, or 'end of string'"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["a=(", "unable to parse requirement: found '(', expected: identifier"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a_=1", `unable to parse requirement: <nil>: Invalid value: "a_": ${nameRule}`],
    [
      "a>x",
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])("refuses %j with upstream's words", (text, message) => {
    expect(() => parseSelector(text)).toThrow(new SelectorError(message));
  });

  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/);
  const condition = fc.oneof(
    fc.tuple(word, fc.constantFrom("=", "!=", "=="), word).map((parts) => parts.join("")),
    fc
      .tuple(word, fc.constantFrom("in", "notin"), fc.array(word, { minLength: 1, maxLength: 3 }))
      .map(([key, operator, values]) => `${key} ${operator} (${values.join(",")})`),
    word,
    word.map((key) => `!${key}`),
  );

  test("what it prints parses to a selector that matches the same labels", () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), fc.dictionary(word, word), (conditions, labels) => {
        const selector = parseSelector(conditions.join(","));
        const again = parseSelector(selector.toString());
        expect(again.requirements).toEqual(selector.requirements);
        expect(again.matches(labels)).toBe(selector.matches(labels));
      }),
    );
  });
});

describe("label selector", () => {
  const labels = { app: "web", tier: "front", size: "10", vast: "9223372036854775808" };

  test.each([
    ["app=web", true],
    ["app!=web", false],
    ["gone!=x", true],
    ["app in (web,db),tier", true],
    ["app notin (web)", false],
    ["!app", false],
    ["!gone", true],
    ["app==web", true],
    ["app==db", false],
    ["gone=x", false],
    ["gone in (x)", false],
    ["size>9", true],
    ["size>10", false],
    ["size>11", false],
    ["size<11", true],
    ["size<10", false],
    ["size<9", false],
    ["app>1", false],
    ["app<1", false],
    ["gone>1", false],
    ["gone<1", false],
    ["vast>1", false],
    ["vast<1", false],
  ])("%s matches: %s", (text, expected) => {
    expect(parseSelector(text).matches(labels)).toBe(expected);
  });

  test("labels may be named like methods of objects", () => {
    for (const key of ["constructor", "toString", "valueOf"]) {
      expect(parseSelector(key).matches(labels)).toBe(false);
      expect(parseSelector(`!${key}`).matches(labels)).toBe(true);
      expect(parseSelector(key).matches({ [key]: "" })).toBe(true);
    }
  });

  /** After apimachinery's `TestRequirementConstructor`, by the number of problems. */
  test.each<[key: string, operator: LabelOperator, values: readonly string[], problems: number]>([
    ["x1", "in", [], 1],
    ["x2", "notin", [], 1],
    ["x3", "in", ["foo"], 0],
    ["x4", "notin", ["foo"], 0],
    ["x5", "=", ["foo", "bar"], 1],
    ["x6", "==", [], 1],
    ["x6", "!=", ["a", "b"], 1],
    ["x7", "exists", [], 0],
    ["x8", "exists", ["foo"], 1],
    ["x9", "!", ["foo"], 1],
    ["x10", "gt", ["1"], 0],
    ["x10", "gt", [], 1],
    ["x11", "gt", ["6.5"], 1],
    ["x12", "lt", ["foo"], 1],
    ["x13", "lt", ["1", "2"], 1],
    ["x13", "lt", ["1"], 0],
    ["x14", "gt", ["9223372036854775807"], 0],
    ["x14", "gt", ["9223372036854775808"], 1],
    ["x14", "gt", ["+5"], 1],
    ["-", "in", ["-", "-", "a"], 3],
    ["a".repeat(64), "exists", [], 1],
  ])("the requirement %s %s %j has %d problems", (key, operator, values, problems) => {
    if (problems === 0) {
      expect(requirement(key, operator, values)).toEqual({ key, operator, values });
      return;
    }
    const message = messageOf(() => requirement(key, operator, values));
    expect(message.startsWith("[")).toBe(problems > 1);
    expect(message.split(": Invalid value").length - 1).toBe(problems);
  });

  test("an absent selector selects nothing, an empty one everything", () => {
    expect(selectorOf(undefined).matches(labels)).toBe(false);
    expect(selectorOf({}).matches(undefined)).toBe(true);
    expect([everything.empty, nothing.empty, nothing.matches({})]).toEqual([true, false, false]);
  });

  test("labels and expressions of an object's selector must all hold", () => {
    const selector = selectorOf({
      matchLabels: { app: "web" },
      matchExpressions: [{ key: "tier", operator: "NotIn", values: ["back"] }],
    });
    expect(selector.matches(labels)).toBe(true);
    expect(selector.matches({ ...labels, tier: "back" })).toBe(false);
    expect(selector.toString()).toBe("app=web,tier notin (back)");
  });

  test("unknown operators of an object's selector are refused", () => {
    const expressions = [{ key: "a", operator: "Near", values: [] }];
    expect(() => selectorOf({ matchExpressions: expressions })).toThrow(
      '"Near" is not a valid label selector operator',
    );
  });

  test("gives the one value that a key must have", () => {
    const selector = parseSelector("a=1,b in (2),c in (3,4),d!=5");
    expect(["a", "b", "c", "d", "e"].map((key) => selector.exactValue(key))).toEqual([
      "1",
      "2",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("plain labels make a selector of equalities", () => {
    expect(selectorOfLabels({ b: "2", a: "1" }).requirements).toEqual<readonly Requirement[]>([
      { key: "a", operator: "=", values: ["1"] },
      { key: "b", operator: "=", values: ["2"] },
    ]);
  });
});
