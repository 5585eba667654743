import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TooManyValuesError } from "./json.ts";
import { formatYaml, parseYamlDocument, YamlError } from "./yaml.ts";

/** Scalars with their values in sigs.k8s.io/yaml 1.6. */
const scalars: readonly [string, unknown][] = [
  ["y", true],
  ["Y", true],
  ["yes", true],
  ["Yes", true],
  ["YES", true],
  ["yEs", "yEs"],
  ["n", false],
  ["N", false],
  ["no", false],
  ["No", false],
  ["NO", false],
  ["on", true],
  ["On", true],
  ["ON", true],
  ["off", false],
  ["Off", false],
  ["OFF", false],
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["tRUE", "tRUE"],
  ["false", false],
  ["False", false],
  ["null", null],
  ["Null", null],
  ["NULL", null],
  ["~", null],
  ["nULL", "nULL"],
  ["22:22", "22:22"],
  ["1:2:3", "1:2:3"],
  ["190:20:30", "190:20:30"],
  ["0x1F", 31],
  ["0o17", 15],
  ["017", 15],
  ["0b101", 5],
  ["-0b11", -3],
  ["1_000", 1000],
  ["1_0.5", 10.5],
  ["1e3", 1000],
  ["1E3", 1000],
  ["1e+3", 1000],
  [".5", 0.5],
  ["5.", 5],
  ["+1", 1],
  ["-1", -1],
  ["+.5", 0.5],
  ["-.5", -0.5],
  ["+12e03", 12000],
  ["12e03", 12000],
  ["0", 0],
  ["-0", 0],
  ["00", 0],
  ["08", 8],
  ["09", 9],
  ["0.10", 0.1],
  ["9007199254740993", Number("9007199254740993")],
  ["18446744073709551615", 2 ** 64],
  ["18446744073709551616", 18446744073709552000],
  ["123456789012345678901234567890", 1.2345678901234568e29],
  ["-9223372036854775808", -9223372036854775808],
  ["-9223372036854775809", Number("-9223372036854775809")],
  ["0x7fffffffffffffff", 2 ** 63],
  ["0xffffffffffffffff", 2 ** 64],
  ["0x10000000000000000", "0x10000000000000000"],
  ["+0x8000000000000000", "+0x8000000000000000"],
  ["-0x8000000000000000", -(2 ** 63)],
  ["-0x8000000000000001", "-0x8000000000000001"],
  ["0o1777777777777777777777", 2 ** 64],
  ["0o2000000000000000000000", "0o2000000000000000000000"],
  ["02000000000000000000000", 2e21],
  [`0b${"1".repeat(64)}`, 2 ** 64],
  [`0b00${"1".repeat(64)}`, 2 ** 64],
  [`0b${"1".repeat(65)}`, `0b${"1".repeat(65)}`],
  ["1".repeat(1000), "1".repeat(1000)],
  ["0x000", 0],
  [".123", 0.123],
  ["1.5x", "1.5x"],
  [".5x", ".5x"],
  ["-.5x", "-.5x"],
  ["._5", "._5"],
  [".5_0", ".5_0"],
  ["+_1", 1],
  ["1e1_0", 1e10],
  ["2001-01-01", "2001-01-01"],
  ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
  ["1.2.3", "1.2.3"],
  ["0x", "0x"],
  ["0xZZ", "0xZZ"],
  ["1__0", 10],
  ["_1", "_1"],
  ["1_", 1],
  ["e1", "e1"],
  ["1e", "1e"],
  [".", "."],
  ["..", ".."],
  ["+", "+"],
  ["0b2", "0b2"],
  ["0o8", "0o8"],
  ["0O17", 15],
  ["0B1", 1],
  ["0X1f", 31],
  ["=", "="],
  ["<<", "<<"],
  ["!x", ""],
  ["1e400", "1e400"],
  ["-1e400", "-1e400"],
  ["+0x1F", 31],
  ["-0x1F", -31],
  ["-017", -15],
  ["-0o17", -15],
  ["0x1_F", 31],
  ["._1", "._1"],
  ["1.5e3", 1500],
  ["100m", "100m"],
  ["1Gi", "1Gi"],
  ["1.0", 1],
  ["1.50", 1.5],
  ["1e-7", 1e-7],
  ["1e21", 1e21],
  ["1e20", 100000000000000000000],
  ["123456789.123456789", 123456789.12345679],
  ["0.1", 0.1],
  ["1e5", 100000],
  ["1.e3", 1000],
  ["'1'", "1"],
  ['"1"', "1"],
  ["''", ""],
  ['"a\\u00e9"', "aé"],
  ["!!str 1", "1"],
  ["!!int '1'", 1],
  ["!!float 1", 1],
  ["!!binary aGk=", "hi"],
  ["!!binary /+8=", "��"],
  ["!foo bar", "bar"],
  ["!!bool yes", true],
  ["!!null ''", null],
  ["!!set {x}", { x: null }],
  ["!!timestamp 2001-01-01", "2001-01-01"],
  ["'it''s'", "it's"],
  ['"\\x41\\u0041\\n"', "AA\n"],
  ["[b, [c]]", ["b", ["c"]]],
  ["é", "é"],
  ["{x: 1, x: 2}", { x: 2 }],
  ["b,c", "b,c"],
  ["{b}", { b: null }],
  ["[b: 1]", [{ b: 1 }]],
  ["?b", "?b"],
  ["-b", "-b"],
  [":b", ":b"],
  ["&x", null],
  ["!!map {b: 1}", { b: 1 }],
  ["!!seq [1]", [1]],
  ["!!int 0x10", 16],
  ["!!float 0x10", 16],
  ["!!float .5", 0.5],
  ["!!str ~", "~"],
  ["!!str true", "true"],
  ["!!null ~", null],
  ["!<tag:yaml.org,2002:int> 5", 5],
  ["!<tag:yaml.org,2003:int> x", "x"],
  ["!!foo 1", "1"],
  ['"1 \\\n  2"', "1 2"],
];

/** Documents with their values in sigs.k8s.io/yaml 1.6. */
const documents: readonly [string, unknown][] = [
  ["y: 1", { true: 1 }],
  ["n: 1", { false: 1 }],
  ["yes: 1", { true: 1 }],
  ["on: 1", { true: 1 }],
  ["1: 1", { "1": 1 }],
  ["1.5: 1", { "1.5": 1 }],
  ["1e3: 1", { "1000": 1 }],
  ["0x10: 1", { "16": 1 }],
  ["22:22: 1", { "22:22": 1 }],
  ["true: 1", { true: 1 }],
  ["2001-01-01: 1", { "2001-01-01": 1 }],
  ["'': 1", { "": 1 }],
  ["1e400: 1", { "1e400": 1 }],
  ["a: 1\na: 2", { a: 2 }],
  ["---\na: 1\n", { a: 1 }],
  ["--- \n", null],
  ["a: |\n  t\n  u", { a: "t\nu" }],
  ["a: >\n  t\n  u", { a: "t u" }],
  ["a: |+\n  t", { a: "t" }],
  ["a: |\n  t\n# c", { a: "t\n" }],
  ["a: |\n  t\nb: u", { a: "t\n", b: "u" }],
  ["a: |\n  t\r", { a: "t\n" }],
  ["a: 't\n\n  u'", { a: "t\nu" }],
  ["", null],
  ["# c\n", null],
  ["a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
  ["a: &x {b: 1}\nc: {<<: [*x, {e: 3}], b: 2}\n", { a: { b: 1 }, c: { b: 2, e: 3 } }],
  ["a:\tb", { a: "b" }],
  ["{a: 1}", { a: 1 }],
  ["[1,2]", [1, 2]],
  ["x", "x"],
  ["1", 1],
  ["a: |\n  t\n  u\n", { a: "t\nu\n" }],
  ["a: >\n  t\n  u\n", { a: "t u\n" }],
  ["a:\n- 1\n- 2", { a: [1, 2] }],
  ["- a\n- b: 1\n  c: 2", ["a", { b: 1, c: 2 }]],
  ["a: 1 # c\nb: 'x#y'", { a: 1, b: "x#y" }],
  ["a: 1\n...\n", { a: 1 }],
  ["a: 1\r\nb: 2\r\n", { a: 1, b: 2 }],
  ["\ufeffa: 1", { a: 1 }],
  ['a: 1\n"a": 2', { a: 2 }],
  ['1: a\n"1": b', { "1": "b" }],
  ["a: &x\nb: *x", { a: null, b: null }],
  ["a: ''\nb: \"\"\nc:", { a: "", b: "", c: null }],
  ["a:b", "a:b"],
  ["__proto__: {x: 1}\n", JSON.parse('{"__proto__":{"x":1}}')],
  ["toString: 1", { toString: 1 }],
];

describe("a document has the value that kubectl reads", () => {
  test.for(scalars)("a: %s", ([text, value]) => {
    expect(parseYamlDocument(`a: ${text}`)).toEqual({ a: value });
  });

  test.for(documents)("%j", ([text, value]) => {
    expect(parseYamlDocument(text)).toEqual(value);
  });
});

test.for([
  ["a: 1\n---\nb: 2", "yaml: line 2: there is more than one document"],
  ["a: .inf", "json: unsupported value: +Inf"],
  ["a: -.Inf", "json: unsupported value: -Inf"],
  ["a: .nan", "json: unsupported value: NaN"],
  ["a: !!float .inf", "json: unsupported value: +Inf"],
  ["~: 1", "line 1: invalid map key"],
  ["{a: 1}: 1", "line 1: invalid map key"],
  ["? [a]\n: 1", "line 1: invalid map key"],
  ["b: 1\na: *x", "line 2: unknown anchor 'x' referenced"],
  ["a: &a [*a]", "line 1: anchor 'a' value contains itself"],
  ["a: {<<: 1}", "yaml: map merge requires map or sequence of maps as the value"],
  ["a: {<<: ~}", "yaml: map merge requires map or sequence of maps as the value"],
  ["a: {<<: [[{b: 1}]]}", "yaml: map merge requires map or sequence of maps as the value"],
  ["a: &x [{b: 1}]\nc: {<<: *x}", "yaml: map merge requires map or sequence of maps as the value"],
  ["a: !!int x", "line 1: cannot decode !!str `x` as a !!int"],
  ["a: !!int 5x", "line 1: cannot decode !!str `5x` as a !!int"],
  ["a:\n- !!int 1.0", "line 2: cannot decode !!float `1.0` as a !!int"],
  ["a: !!int ''", "line 1: cannot decode !!null `` as a !!int"],
  ["a: !!bool 1", "line 1: cannot decode !!int `1` as a !!bool"],
  ["a: !!null no", "line 1: cannot decode !!bool `no` as a !!null"],
  ["a: !!float y", "line 1: cannot decode !!bool `y` as a !!float"],
  ["a: !!binary a", "yaml: !!binary value contains invalid base64 data"],
  ["a: \u0001", "yaml: control characters are not allowed"],
  ["a: \ud83d", "yaml: control characters are not allowed"],
  ["\ta: 1", "line 1"],
  ["a: 1\n b: 2", "line"],
  ["a: [1,2\n", "line"],
])("%j is an error", ([text = "", message = ""]) => {
  expect(() => parseYamlDocument(text)).toThrow(YamlError);
  expect(() => parseYamlDocument(text)).toThrow(message);
});

test.for([
  ["b: 1\na: *x", "yaml: line 2: unknown anchor 'x' referenced"],
  ["b: 1\na: 'x", "yaml: line 2: Missing closing 'quote"],
])("the message for %j is whole", ([text = "", message = ""]) => {
  expect(() => parseYamlDocument(text)).toThrow(new YamlError(message));
  expect(new YamlError(message).name).toBe("YamlError");
});

test("documents that are too deep or too long are refused", () => {
  const lists = (depth: number, inner = "") => "[".repeat(depth) + inner + "]".repeat(depth);
  // An alias is a level, too.
  const nested = (last: number) =>
    [`&a ${lists(249)}`, `&b ${lists(249, "*a")}`, `&c ${lists(249, "*b")}`, lists(last, "*c")].join("\n- ");
  expect(parseYamlDocument(`- ${nested(249)}`)).toHaveLength(4);
  expect(() => parseYamlDocument(`- ${nested(250)}`)).toThrow(new YamlError("yaml: nests too deep"));
  expect(() => parseYamlDocument("[".repeat(50_000))).toThrow("yaml: line 1: nests too deep");
  const comment = (length: number) => "#".padEnd(length, "x");
  expect(parseYamlDocument(comment(1024 * 1024))).toBe(null);
  expect(() => parseYamlDocument(comment(1024 * 1024 + 1))).toThrow("longer than 1 MiB");
});

test("the expansion of aliases is limited", () => {
  const list = `- &a [${Array(999).fill("x").join(", ")}]\n`;
  expect(parseYamlDocument(list + "- *a\n".repeat(100))).toHaveLength(101);
  expect(() => parseYamlDocument(`${list}- &b x\n- *b\n${"- *a\n".repeat(100)}`)).toThrow(
    new YamlError("yaml: document contains excessive aliasing"),
  );
  const levels = "bcdefghij".split("").map((name, at) => {
    const before = `*${"abcdefghij"[at]}`;
    return `${name}: &${name} [${Array(9).fill(before).join(", ")}]`;
  });
  const text = ["a: &a [x]", ...levels].join("\n");
  expect(() => parseYamlDocument(text)).toThrow("document contains excessive aliasing");
});

test("an alias refers to the latest anchor of its name", () => {
  expect(parseYamlDocument("- &a 1\n- *a\n- &a 2\n- *a")).toEqual([1, 1, 2, 2]);
});

test.for<[string, unknown, readonly string[]]>([
  ["{b: 1, <<: {b: 2}}", { b: 2 }, ["b"]],
  ["{<<: {b: 2}, b: 1}", { b: 1 }, ["b"]],
  ["{<<: {b: 2, c: 3}, <<: {b: 1}}", { b: 1, c: 3 }, ["b"]],
  ["{<<: [{b: 2}, {b: 1, c: 3}]}", { b: 2, c: 3 }, ["b"]],
  ["{<<: {b: 1}, c: 2}", { b: 1, c: 2 }, []],
  ["{<<: []}", {}, []],
  ["{!!merge <<: {b: 1}}", { b: 1 }, []],
  ["{!!str <<: {b: 1}}", { "<<": { b: 1 } }, []],
  ["{'<<': {b: 1}}", { "<<": { b: 1 } }, []],
])("in %s, a later key overrides an earlier one, merged or not", ([text, value, keys]) => {
  const duplicates: string[] = [];
  expect(parseYamlDocument(`a: ${text}`, { duplicates })).toEqual({ a: value });
  expect(duplicates).toEqual(keys.map((key) => `line 1: key "${key}" already set in map`));
});

test.for([
  ["a: 1\na: 2", 2],
  ["a: 1\na:", 2],
  ["a: 1\na:\n  b: 1", 3],
  ["{\na,\na}", 3],
] as const)("the duplicate in %j is reported at the line of its value, %i", ([text, line]) => {
  const duplicates: string[] = [];
  parseYamlDocument(text, { duplicates });
  expect(duplicates).toEqual([`line ${line}: key "a" already set in map`]);
});

test("duplicate keys are reported up to a limit, and the last one counts", () => {
  const duplicates: string[] = [];
  expect(parseYamlDocument("a: 1\nb:\n  c: 1\n  c: 2\n", { duplicates })).toEqual({ a: 1, b: { c: 2 } });
  expect(duplicates).toEqual(['line 4: key "c" already set in map']);
  expect(parseYamlDocument("a: 1\n".repeat(150), { duplicates })).toEqual({ a: 1 });
  expect(duplicates).toHaveLength(100);
});

test.for([
  ["9007199254740993", 9007199254740993n],
  ["-9007199254740993", -9007199254740993n],
  ["9_007_199_254_740_993", 9007199254740993n],
  ["0x20000000000001", 9007199254740993n],
  ["0o400000000000000001", 9007199254740993n],
  ["0400000000000000001", 9007199254740993n],
  ["9007199254740991", 9007199254740991],
  ["9007199254740992", 9007199254740992],
  ["18446744073709551615", 2 ** 64],
  ["1.5", 1.5],
])("%s is read exactly on demand", ([text, value]) => {
  expect(parseYamlDocument(`a: ${text}`, { exact: true })).toEqual({ a: value });
  expect(parseYamlDocument(`a: ${text}`)).toEqual({ a: Number(value) });
});

test("JSON is parsed as JSON, with its duplicates", () => {
  const duplicates: string[] = [];
  expect(parseYamlDocument(' {"a": "\\ud83d\\ude00", "a": "yes"}', { duplicates })).toEqual({ a: "yes" });
  expect(duplicates).toEqual(['key "a" already set in map']);
  const large = " \n".repeat(1024 * 1024) + '{"a": 9007199254740993}';
  expect(parseYamlDocument(large)).toEqual({ a: 2 ** 53 });
  expect(parseYamlDocument(large, { exact: true })).toEqual({ a: 9007199254740993n });
  expect(() => parseYamlDocument(`{"a": [${"0,".repeat(70_000)}0]}`)).toThrow(TooManyValuesError);
});

test("formatted YAML is parsed to the same value", () => {
  const tricky = fc.constantFrom(
    "yes",
    "n",
    "22:22",
    "1e3",
    "0o17",
    "1_000",
    "~",
    "<<",
    "2001-01-01",
    "a: b",
    "# c",
    "=",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      tricky,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("map"),
    ),
    list: fc.array(tie("tree"), { maxLength: 4 }),
    map: fc.dictionary(fc.oneof(tricky, fc.string()), tie("tree"), { maxKeys: 4, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(parseYamlDocument(formatYaml(value))).toEqual(value);
    }),
    { numRuns: 2000 },
  );
});

test("an object that occurs twice is written twice", () => {
  const shared = { b: 1 };
  expect(formatYaml([shared, shared])).toBe("- b: 1\n- b: 1\n");
});

test("objects are formatted as by kubectl", () => {
  const object = {
    kind: "Pod",
    spec: { containers: [{ name: "a", args: ["yes", "1", "x: y"] }] },
    apiVersion: "v1",
  };
  expect(formatYaml(object)).toBe(
    [
      "apiVersion: v1",
      "kind: Pod",
      "spec:",
      "  containers:",
      "  - args:",
      '    - "yes"',
      '    - "1"',
      '    - "x: y"',
      "    name: a",
      "",
    ].join("\n"),
  );
});
