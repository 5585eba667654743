import { describe, expect, it } from "vitest";
import {
  duplicateKeys,
  JsonError,
  maxDepth,
  maxValues,
  parseExactly,
  parseJson,
  sortKeys,
  toJson,
  TooManyValuesError,
} from "./json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

describe("parseJson", () => {
  it("counts keys and ignores colons inside strings", () => {
    expect(parse('{"a:b":":\\":","c":[{"d":1}]}').keys).toBe(3);
  });

  it.each(["", "{", '{"a":}', "{'a':1}", '{"a":1}x', "\u0000"])("refuses %j", (text) => {
    expect(() => parse(text)).toThrow(JsonError);
  });

  const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const many = (count: number, item: string) => `[${Array(count).fill(item).join(",")}]`;

  it.each([
    ["as deep as the limit", lists(maxDepth)],
    ["with many lists in a list", many(maxDepth, "[]")],
    ["with many objects in a list", many(maxDepth, "{}")],
    ["with as many values as the limit", many(maxValues, "0")],
    ["with brackets and commas in strings", many(2, `"${"[,".repeat(maxValues)}"`)],
  ])("accepts a text %s", (_, text) => {
    expect(JSON.stringify(parse(text).value)).toBe(text);
  });

  it("counts the members of objects and the items of lists", () => {
    expect(parse('{"a":[1,2],"b":{}}').values).toBe(5);
  });

  it("refuses more levels and more values", () => {
    expect(() => parse(lists(maxDepth + 1))).toThrow(new JsonError("exceeded max depth"));
    const tooMany = new TooManyValuesError("limit is 65536 values");
    expect(() => parse(many(maxValues + 1, "0"))).toThrow(tooMany);
    expect(() => parse(many(maxValues / 2 + 1, "[]"))).toThrow(tooMany);
    expect([new JsonError("").name, tooMany.name]).toEqual(["JsonError", "TooManyValuesError"]);
  });
});

describe("duplicateKeys", () => {
  it("reports the path of every duplicate key", () => {
    const text = '{"a":1,"b":[{"c":1},{"c":{"x":1,"x":2},"c":3}],"a":2,"a":3}';
    expect(duplicateKeys(text)).toEqual(["b[1].c.x", "b[1].c", "a"]);
  });

  it("stops at a hundred", () => {
    expect(
      duplicateKeys(`{${Array.from({ length: 300 }, (_, at) => `"${at % 150}":0`).join(",")}}`),
    ).toHaveLength(100);
  });

  it("recognizes escaped keys", () => {
    expect(duplicateKeys(String.raw`{"a\"":1,"\u0061\"":2,"b":"{\"a\":1,\"a\":2}"}`)).toEqual(['a"']);
  });
});

describe("integers beyond JavaScript's safe range", () => {
  const kept = ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"];
  it.each(kept)("%s is kept exactly", (text) => {
    expect(parseExactly(text)).toBe(BigInt(text));
    expect(toJson(parseExactly(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
  });

  it.each([
    "9007199254740991",
    "9007199254740992",
    "1e20",
    "1.5",
    "0.9007199254740993",
    "9007199254740993.5",
    "9007199254740993e1",
    "9223372036854775808",
    "12345678901234567890123",
    '"9007199254740993"',
  ])("%s is parsed as by JSON.parse", (text) => {
    expect(parseExactly(text)).toBe(JSON.parse(text));
  });

  it("are written inside other values, indented or with sorted keys", () => {
    const value = { b: 1n, a: [{ c: "x", d: null }, 2n ** 60n] };
    expect(toJson(value)).toBe('{"b":1,"a":[{"c":"x","d":null},1152921504606846976]}');
    expect(toJson({ a: 1n }, 2)).toBe('{\n  "a": 1\n}');
    expect(toJson(sortKeys(value))).toBe('{"a":[{"c":"x","d":null},1152921504606846976],"b":1}');
  });
});
