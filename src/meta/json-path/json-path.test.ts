import { describe, expect, test } from "vitest";
import { JsonPathError } from "./error.ts";
import { parseJsonPath } from "./json-path.ts";

const value = {
  name: "n",
  "a.b": 1,
  labels: { "x.y/z": "dotted", app: "web" },
  list: [0, 1, 2, 3, 4],
  ports: [
    { name: "http", port: 80 },
    { name: "dns", port: 53, open: true },
    { name: "a'b", port: 1 },
  ],
  nothing: null,
};

describe("a path finds", () => {
  test.each<[string, readonly unknown[]]>([
    [".name", ["n"]],
    ["name", []],
    ["$.name", ["n"]],
    [".missing.deeper", []],
    [".nothing", [null]],
    [".nothing.deeper", []],
    [String.raw`.a\.b`, [1]],
    [String.raw`.labels.x\.y/z`, ["dotted"]],
    [".labels['app']", ["web"]],
    [".labels.*", ["dotted", "web"]],
    [".list[1]", [1]],
    [".list[-1]", [4]],
    [".list[1:3]", [1, 2]],
    [".list[:2]", [0, 1]],
    [".list[-2:]", [3, 4]],
    [".list[::2]", [0, 2, 4]],
    [".list[0,2]", [0, 2]],
    [".list[*]", [0, 1, 2, 3, 4]],
    [".ports[*].name", ["http", "dns", "a'b"]],
    ['.ports[?(@.name=="dns")].port', [53]],
    [".ports[?(@.name == 'dns')].port", [53]],
    [".ports[?(@.port>53)].name", ["http"]],
    [".ports[?(@.port>=53)].name", ["http", "dns"]],
    [".ports[?(@.port!=53)].name", ["http", "a'b"]],
    [".ports[?(@.open)].name", ["dns"]],
    [".ports[?(@.open==true)].name", ["dns"]],
    ["..port", [80, 53, 1]],
  ])("%s", (path, expected) => {
    if (path === "name") expect(() => parseJsonPath(path)).toThrow(JsonPathError);
    else expect(parseJsonPath(path)(value)).toEqual(expected);
  });
});

test.each<readonly [path: string, value: unknown, expected: readonly unknown[]]>([
  ["", { a: 1 }, [{ a: 1 }]],
  ["@.a", { a: 1 }, [1]],
  [" .a ", { a: 1 }, [1]],
  [".a.", { a: 1 }, []],
  [".", { "": 1 }, [1]],
  [".a", [{ a: 1 }], []],
  [".length", [1], []],
  [".toString", {}, []],
  ["[1]", [1, 2], [2]],
  ["[0][1]", [[1, 2]], [2]],
  ["[*].a", [{ a: 1 }, {}, { a: 2 }], [1, 2]],
  [".*", [1, 2], [1, 2]],
  [".*", null, []],
  [".*", "text", []],
  ["[0]", null, []],
  ["[0]", undefined, []],
  ["[:]", [1, 2], [1, 2]],
  ["[1:]", [1, 2, 3], [2, 3]],
  ["[:-1]", [1, 2, 3], [1, 2]],
  ["[-3:-1]", [1, 2, 3], [1, 2]],
  ["[0:3:2]", [1, 2, 3], [1, 3]],
  ["[1::2]", [1, 2, 3, 4], [2, 4]],
  ["[2:2]", [1, 2, 3], []],
  ["[0:2:1]", [1, 2, 3], [1, 2]],
  ["[0, 1]", [1, 2, 3], [1, 2]],
  ["['a','b']", { a: 1, b: 2 }, [1, 2]],
  ["['a.b']", { a: { b: 1 } }, [1]],
  [String.raw`['a\.b']`, { "a.b": 1 }, [1]],
  ["..", { a: [1], b: {} }, [{ a: [1], b: {} }, [1]]],
  ["..a", { a: 1, b: { a: 2, c: [{ a: 3 }] } }, [1, 2, 3]],
  ["..[0]", [[1], [2]], [[1], 1, 2]],
  ["'text'", { a: 1 }, ["text"]],
  [String.raw`"a\"b"`, {}, ['a"b']],
  [String.raw`'a\'b'`, {}, ["a'b"]],
  ["-1.5", {}, [-1.5]],
  ["+2", {}, [2]],
  ["true", {}, [true]],
  ["false", {}, [false]],
  ["[?(@.a<2)].a", [{ a: 1 }, { a: 2 }], [1]],
  ["[?(@.a<=2)].a", [{ a: 1 }, { a: 2 }, { a: 3 }], [1, 2]],
  ["[?(@.a>1)].a", [{ a: 1 }, { a: 2 }], [2]],
  ["[?(@.a==false)].b", [{ a: false, b: 1 }, { a: true, b: 2 }, { b: 3 }], [1]],
  [
    "[?(@.a==@.b)].a",
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    [1],
  ],
  ["[?(@.a)]", [{ a: null }, {}, { a: false }], [{ a: null }, { a: false }]],
  ["[?(@.a==')')].a", [{ a: ")" }], [")"]],
  ['[?(@.a==")]")].a', [{ a: ")]" }], [")]"]],
  ["[?(@=='x')]", ["x", "y"], ["x"]],
  ["[?(@.a<'b')].a", [{ a: "a" }, { a: "b" }], ["a"]],
])("%s of %j is %j", (path, of, expected) => {
  expect(parseJsonPath(path)(of)).toEqual(expected);
});

test.each([
  [".a[", "unterminated array"],
  ["a", "unrecognized identifier a"],
  ["truely", "unrecognized identifier truely"],
  ["1.2.3", "cannot parse number 1.2.3"],
  [".a[1:2:3:4]", "invalid array index 1:2:3:4"],
  [".a[1x]", "invalid array index 1x"],
  [".a[x1]", "invalid array index x1"],
  [".a[1,x]", "invalid array index x"],
  [".a[?(@.b]", "unterminated filter"],
  [".a[?(@.b", "unterminated filter"],
  [".a[x]", "invalid array index x"],
  [".a[?(@.b=<5)]", "unrecognized filter operator =<"],
  [".a{", 'unrecognized character in action: "{"'],
])("%s is not a path", (path, why) => {
  expect(() => parseJsonPath(path)).toThrow(new JsonPathError(why));
});

test.each([
  [".list[7]", "array index out of bounds: index 7, length 5"],
  [".list[5]", "array index out of bounds: index 5, length 5"],
  [".list[-6]", "array index out of bounds: index -1, length 5"],
  [".list[0:6]", "array index out of bounds: index 5, length 5"],
  [".list[0:-6]", "array index out of bounds: index -2, length 5"],
  [".list[0:2:-1]", "step must be > 0"],
  [".ports[?(@.*==1)]", "can only compare one element at a time"],
  [".labels[*]", "object is not array or slice"],
  [".ports[?('x'==@.*)]", "can only compare one element at a time"],
  [".ports[?(@.name==true)]", "incompatible types for comparison"],
  [".ports[?(@.port=='x')]", "incompatible types for comparison"],
  [".name[?(@.a)]", "string is not array or slice and cannot be filtered"],
  [".list[3:1]", "starting index 3 is greater than ending index 1"],
  [".list[0:2:0]", "step must be > 0"],
  [".name[0]", "string is not array or slice"],
  [".labels[?(@.a)]", "object is not array or slice and cannot be filtered"],
  [".ports[?(@.name==5)]", "incompatible types for comparison"],
])("%s does not fit the value", (path, why) => {
  expect(() => parseJsonPath(path)(value)).toThrow(new JsonPathError(why));
});
