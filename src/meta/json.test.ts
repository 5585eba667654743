import { describe, expect, it } from "vitest";
import { duplicateKeys, JsonError, parseJson } from "./json.ts";

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
  it("names the path of every key that stands twice in one object", () => {
    const text = '{"a":1,"b":[{"c":1},{"c":{"x":1,"x":2},"c":3}],"a":2,"a":3}';
    expect(duplicateKeys(text)).toEqual(["b[1].c.x", "b[1].c", "a"]);
  });

  it("sees through escapes", () => {
    expect(duplicateKeys(String.raw`{"a\"":1,"\u0061\"":2,"b":"{\"a\":1,\"a\":2}"}`)).toEqual(['a"']);
  });
});
