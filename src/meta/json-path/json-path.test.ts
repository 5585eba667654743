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

test.each([
  [".a[", "unterminated array"],
  [".a[?(@.b", "unterminated filter"],
  [".a[x]", "invalid array index x"],
  [".a[?(@.b=<5)]", "unrecognized filter operator =<"],
  [".a{", 'unrecognized character in action: "{"'],
])("%s is not a path", (path, why) => {
  expect(() => parseJsonPath(path)).toThrow(new JsonPathError(why));
});

test.each([
  [".list[7]", "array index out of bounds: index 7, length 5"],
  [".list[3:1]", "starting index 3 is greater than ending index 1"],
  [".list[0:2:0]", "step must be > 0"],
  [".name[0]", "string is not array or slice"],
  [".labels[?(@.a)]", "object is not array or slice and cannot be filtered"],
  [".ports[?(@.name==5)]", "incompatible types for comparison"],
])("%s does not fit the value", (path, why) => {
  expect(() => parseJsonPath(path)(value)).toThrow(new JsonPathError(why));
});
