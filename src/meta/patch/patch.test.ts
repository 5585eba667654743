import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PatchError } from "./errors.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";

describe("JSON patch", () => {
  it.each([
    [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    [{ l: [1, 3] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2, 3] }],
    [{ l: [1] }, [{ op: "add", path: "/l/-", value: 2 }], { l: [1, 2] }],
    [{ "a/b": 1 }, [{ op: "remove", path: "/a~1b" }], {}],
    [{ a: { b: 1 } }, [{ op: "move", from: "/a/b", path: "/c" }], { a: {}, c: 1 }],
    [{ a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
    [{ a: 1 }, [{ op: "replace", path: "", value: 5 }], 5],
    [{ a: 1 }, [{ op: "replace", path: "/b", value: 2 }], { a: 1, b: 2 }],
    [{ a: 1 }, [{ op: "copy", from: "/x", path: "/b" }], { a: 1, b: null }],
    [{ a: 1 }, [{ op: "test", path: "/x", value: null }], { a: 1 }],
    [{ a: { b: 1, c: 2 } }, [{ op: "test", path: "/a", value: { c: 2, b: 1 } }], { a: { b: 1, c: 2 } }],
  ])("changes %j by %j to %j", (target, patch, result) => {
    const before = structuredClone(target);
    expect(applyJsonPatch(target, patch)).toEqual(result);
    expect(target).toEqual(before);
  });

  it.each([
    [[{ op: "remove", path: "/x" }], false],
    [[{ op: "replace", path: "/x/y", value: 1 }], false],
    [[{ op: "replace", path: "/l/1", value: 1 }], false],
    [[{ op: "copy", from: "/x/y", path: "/b" }], false],
    [[{ op: "add", path: "/l/01", value: 1 }], false],
    [[{ op: "add", path: "/l/3", value: 1 }], false],
    [[{ op: "test", path: "/a", value: 2 }], false],
    [[{ op: "remove", path: "/__proto__/x" }], false],
    [[{ op: "move", from: "/o", path: "/o/p" }], false],
    [{ op: "add" }, true],
    [[{ op: "jump", path: "/a" }], false],
    [[{ path: "/a" }], false],
    [[{ op: "add", path: "a" }], true],
  ])("refuses %j", (patch, malformed) => {
    const apply = () => applyJsonPatch({ a: 1, l: [1], o: {} }, patch);
    expect(apply).toThrow(PatchError);
    expect(apply).toThrow(expect.objectContaining({ malformed }));
  });

  it("refuses copies that add up to more than 3 MiB", () => {
    const patch = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "", path: `/a${index}` }));
    expect(() => applyJsonPatch({ seed: "x".repeat(100) }, patch)).toThrow(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });

  it("refuses operations that shift too many list items", () => {
    const patch = Array.from({ length: 300 }, () => ({ op: "add", path: "/l/0", value: 1 }));
    const document = { l: Array.from({ length: 100_000 }, () => 0) };
    expect(() => applyJsonPatch(document, patch)).toThrow(/maximum of shifted list items/);
  });

  it("sets a key named __proto__ as a key", () => {
    const patch = [{ op: "add", path: "/__proto__", value: { x: 1 } }];
    expect(JSON.stringify(applyJsonPatch({}, patch))).toBe('{"__proto__":{"x":1}}');
  });
});

describe("merge patch", () => {
  it("deletes by null, merges objects and replaces other values", () => {
    expect(
      mergePatch({ a: { b: 1, c: 2 }, l: [1], x: 1 }, { a: { b: null, d: 3 }, l: [2], x: { y: null } }),
    ).toEqual({
      a: { c: 2, d: 3 },
      l: [2],
      x: {},
    });
  });

  it("is idempotent and does not change its target", () => {
    const object = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = JSON.stringify(target);
        const once = mergePatch(target, patch);
        expect(JSON.stringify(mergePatch(once, patch))).toBe(JSON.stringify(once));
        expect(JSON.stringify(target)).toBe(before);
      }),
    );
  });

  it("refuses a patch that is not an object", () => {
    expect(() => mergePatch({}, [])).toThrow(PatchError);
  });
});
