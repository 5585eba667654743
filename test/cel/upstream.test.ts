import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kubernetesLibraries } from "../../src/expressions/kubernetes-environment.ts";
import { compile } from "../../src/cel/compile.ts";
import { environment } from "../../src/cel/environment.ts";
import { toJson } from "../../src/cel/json.ts";
import { type Access, Authorizer, authorizerType } from "../../src/cel/libraries/authorization.ts";
import { bindings } from "../../src/cel/libraries/bindings.ts";
import {
  bytesShape,
  dateShape,
  dateTimeShape,
  doubleShape,
  durationShape,
  dynShape,
  intOrStringShape,
  intShape,
  stringShape,
} from "../../src/cel/shape/scalars.ts";
import { listShape, mapShape, objectShape, type Shape } from "../../src/cel/shape/shape.ts";
import { shapeSizes, shapeTypes } from "../../src/cel/shape/types.ts";
import { readJson } from "../../src/cel/shape/values.ts";
import { CelError } from "../../src/cel/values.ts";

/** Upstream's answer for an expression: see the fixture's README. */
interface Answer {
  readonly source: string;
  readonly issues?: string;
  readonly plan?: string;
  readonly type?: string;
  readonly min?: number;
  readonly max?: number;
  readonly cost?: number;
  readonly error?: string;
  /**
   * The value as JSON, large integers as strings. Absent for types without JSON, and for values that the language's own
   * tests cover.
   */
  readonly value?: unknown;
}

/** Upstream allows four units of size for each character of `maxLength`. */
const text = (maxLength: number) => stringShape(maxLength * 4);

const self = objectShape("Obj", {
  name: text(5),
  other: text(10),
  names: listShape(text(2), 10),
  set: listShape(text(3), 6, "set"),
  keyed: listShape(objectShape("Obj.keyed", { k: text(2), v: intShape }), 5, { keys: ["k"] }),
  labels: mapShape(text(3), 4),
  ints: listShape(intShape, 100),
  data: bytesShape(30),
  count: intShape,
  ratio: doubleShape,
  port: intOrStringShape(16),
  when: dateTimeShape,
  day: dateShape,
  took: durationShape,
  maybe: { ...text(3), nullable: true },
  "a-b": text(3),
  namespace: text(3),
  x__y: text(3),
  free: objectShape("Obj.free", {}),
  nested: listShape(
    objectShape("Obj.nested", {
      key: text(2),
      values: listShape(text(1), 8),
      sub: objectShape("Obj.nested.sub", { n: intShape }),
    }),
    12,
  ),
});

const shapes: Readonly<Record<string, Shape>> = {
  self,
  oldSelf: self,
  d: dynShape,
  x: intShape,
  s: stringShape(50),
};

const nested = [
  { key: "one", values: ["v", "w"], sub: { n: 1 } },
  { key: "two", values: [] },
];

const json: Readonly<Record<string, unknown>> = {
  self: {
    name: "abcdefghijkl",
    other: "zyxwvutsrqponmlkjihgfedcba",
    names: ["a", "bb", "ccc"],
    set: ["p", "q"],
    keyed: [
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ],
    labels: { k1: "value1" },
    ints: [1, 2, 3, 4],
    data: "MDEyMzQ1Njc4OWFiY2RlZg==",
    count: 7,
    ratio: 1.5,
    port: 80,
    when: "2020-01-02T03:04:05Z",
    day: "2020-01-02",
    took: "1h",
    maybe: null,
    "a-b": "dash",
    namespace: "ns",
    x__y: "under",
    free: { anything: { goes: 1 } },
    nested,
  },
  oldSelf: {
    name: "abc",
    other: "zyxwvutsrqponmlkjihgfedcba",
    names: ["a", "bb"],
    set: ["q", "p"],
    keyed: [
      { k: "b", v: 2 },
      { k: "a", v: 1 },
    ],
    labels: { k1: "value1", k2: null },
    ints: [4, 3],
    data: "AAEC",
    count: 7,
    ratio: 2,
    port: "http",
    when: "2020-01-02T04:04:05+01:00",
    day: "2020-01-03",
    took: "90m",
    "a-b": "dash",
    namespace: "ns2",
    free: { anything: { goes: 1 } },
    nested,
    unknown: 1,
  },
  d: { a: { b: 1 }, list: ["x", "y"], s: "string", i: 3 },
  x: 5,
  s: "hello wörld",
};

const declared = environment({
  libraries: [...kubernetesLibraries, bindings],
  variables: {
    ...Object.fromEntries(Object.entries(shapes).map(([name, { type }]) => [name, type])),
    authorizer: authorizerType,
  },
  types: [shapeTypes(...Object.values(shapes))],
});
const sizes = shapeSizes(shapes);

/** Returns the decisions for a user: the verb `get` is allowed. */
const access = (user: string): Access => ({
  decide: (question) => {
    const { verb } = question;
    if (verb === "fail") return { allowed: false, reason: "", error: "it failed" };
    const what =
      question.type === "path"
        ? `${question.path} // /`
        : ` ${question.group}/${question.resource}/${question.subresource} ${question.namespace}/${question.name}`;
    return { allowed: verb === "get", reason: `${user} ${verb} ${what}`, error: undefined };
  },
  forServiceAccount: (namespace, name) => access(`system:serviceaccount:${namespace}:${name}`),
});

const values = {
  ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, readJson(json[name], shape)])),
  authorizer: new Authorizer(access("alice")),
};

function answer({ source, ...wanted }: Answer): Answer {
  const compiled = compile(declared, source);
  if (!compiled.ok)
    return { source, [compiled.stage === "compilation" ? "issues" : "plan"]: compiled.message };
  const { program } = compiled;
  const { result, cost } = program.evaluate(values, 1_000_000);
  const answered = { source, type: program.type.text, ...program.estimate(sizes), cost };
  if (result instanceof CelError) return { ...answered, error: result.message };
  if (!("value" in wanted)) return answered;
  const value = toJson(result);
  return { ...answered, value: typeof value === "bigint" ? String(value) : value };
}

const file = new URL("../fixtures/cel/upstream.jsonl", import.meta.url);
const answers = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);

/** Rounds a cost: beyond 2^53 upstream's integers are exact and ours are not. */
const rounded = (cost: number | undefined) => (cost === undefined ? undefined : Number(cost.toPrecision(12)));
const comparable = (one: Answer) => ({ ...one, min: rounded(one.min), max: rounded(one.max) });

describe("upstream's answers", () => {
  test.each(answers)("give the same issues, type, estimate, cost, error and value for $source", (wanted) => {
    const got = answer(wanted);
    // Upstream also estimates expressions that cannot be instantiated.
    const { source, plan } = wanted;
    expect(comparable(got)).toEqual(comparable(plan === undefined ? wanted : { source, plan }));
  });
});
