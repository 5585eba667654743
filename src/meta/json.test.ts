import { describe, expect, it } from "vitest";
import { duplicateKeys, JsonError, parseExactly, parseJson, sortKeys, toJson } from "./json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

describe("parseJson", () => {
  it("counts keys and ignores colons inside strings", () => {
    expect(parse('{"a:b":":\\":","c":[{"d":1}]}').keys).toBe(3);
  });

  it.each(["", "{", '{"a":}', "{'a':1}", '{"a":1}x', "\u0000"])("refuses %j", (text) => {
    expect(() => parse(text)).toThrow(JsonError);
  });

  it("stops at ten thousand levels", () => {
    expect(() => parse("[".repeat(10_001) + "]".repeat(10_001))).toThrow("exceeded max depth");
  });
});

describe("duplicateKeys", () => {
  it("reports the path of every duplicate key", () => {
    const text = '{"a":1,"b":[{"c":1},{"c":{"x":1,"x":2},"c":3}],"a":2,"a":3}';
    expect(duplicateKeys(text)).toEqual(["b[1].c.x", "b[1].c", "a"]);
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
