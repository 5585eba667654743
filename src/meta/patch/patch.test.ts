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

  it.each([
    [
      { a: 1 },
      [
        { op: "remove", path: "/a" },
        { op: "add", path: "/b", value: null },
      ],
      { b: null },
    ],
    [{ l: [1, 2, 3] }, [{ op: "remove", path: "/l/1" }], { l: [1, 3] }],
    [{ l: [1, 2] }, [{ op: "replace", path: "/l/1", value: 3 }], { l: [1, 3] }],
    [{ l: [1, 2] }, [{ op: "add", path: "/l/2", value: 3 }], { l: [1, 2, 3] }],
    [{ l: [1, 2] }, [{ op: "add", path: "/l/0", value: 0 }], { l: [0, 1, 2] }],
    [{ l: [1, 2, 3] }, [{ op: "move", from: "/l/2", path: "/l/0" }], { l: [3, 1, 2] }],
    [{ l: [{ a: 1 }] }, [{ op: "copy", from: "/l/0", path: "/l/-" }], { l: [{ a: 1 }, { a: 1 }] }],
    [{ l: [1] }, [{ op: "test", path: "/l/0", value: 1 }], { l: [1] }],
    [{ a: null }, [{ op: "test", path: "/a" }], { a: null }],
    [{ a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], { a: 1 }],
    [{ "a~1": 1, "b/c": 2 }, [{ op: "move", from: "/a~01", path: "/b~1c" }], { "b/c": 1 }],
    [{ a: { b: 1 } }, [{ op: "move", from: "/a", path: "/ab" }], { ab: { b: 1 } }],
    [{ "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
    [
      { l: Array.from({ length: 12 }, (_, i) => i) },
      [{ op: "test", path: "/l/10", value: 10 }],
      { l: Array.from({ length: 12 }, (_, i) => i) },
    ],
    [
      { a: [1] },
      [
        { op: "add", path: "", value: [1] },
        { op: "add", path: "/-", value: 2 },
      ],
      [1, 2],
    ],
    [{ a: 1 }, [], { a: 1 }],
  ])("takes %j by %j to %j", (target, patch, result) => {
    expect(applyJsonPatch(target, patch)).toEqual(result);
  });

  const missing = (op: string, what: string, path: string) =>
    `${op} operation does not apply: doc is missing ${what}: ${path}: missing value`;
  it.each([
    [{ op: "remove", path: "/x" }, missing("remove", "path", "/x")],
    [{ op: "remove", path: "" }, missing("remove", "key", "")],
    [{ op: "remove", path: "/l/-" }, missing("remove", "a valid index", "/l/-")],
    [{ op: "remove", path: "/l/1" }, missing("remove", "key", "/l/1")],
    [{ op: "replace", path: "/l/-", value: 1 }, missing("replace", "a valid index", "/l/-")],
    [{ op: "add", path: "/l/-1", value: 1 }, missing("add", "a valid index", "/l/-1")],
    [{ op: "add", path: "/l/1x", value: 1 }, missing("add", "a valid index", "/l/1x")],
    [{ op: "add", path: "/l/2", value: 1 }, missing("add", "key", "/l/2")],
    [{ op: "add", path: "/a/b", value: 1 }, missing("add", "key", "/a/b")],
    [{ op: "add", path: "/n/b", value: 1 }, missing("add", "key", "/n/b")],
    [{ op: "test", path: "/l/7", value: null }, missing("test", "key", "/l/7")],
    [{ op: "test", path: "/n/x", value: null }, missing("test", "path", "/n/x")],
    [{ op: "test", path: "/a", value: null }, "testing value /a failed: test failed"],
    [{ op: "test", path: "/n", value: 0 }, "testing value /n failed: test failed"],
    [{ op: "copy", from: "/l/x", path: "/b" }, missing("copy", "a valid index", "/b")],
    [{ op: "move", from: "/o", path: "/o/p" }, "cannot move /o into itself: /o/p"],
    [{ op: "jump", path: "/a" }, "Unexpected kind: jump"],
    [{ op: "move", path: "/a" }, "move operation must have a from"],
    [{ op: "copy", path: "/a", from: 1 }, "copy operation must have a from"],
    [{ op: "add" }, "add operation must have a path"],
    [{ op: 1, path: "/a" }, "a JSON patch operation must have an op"],
    [null, "a JSON patch operation must have an op"],
    [{ op: "add", path: "a" }, "a JSON pointer must start with a slash: a"],
  ])("refuses %j with upstream's reason", (operation, message) => {
    expect(() => applyJsonPatch({ a: 1, l: [1], o: {}, n: null }, [operation])).toThrow(
      expect.objectContaining({ message }),
    );
  });

  it("leaves nothing of a patch that fails half-way, and shares nothing with it", () => {
    const target = { a: { b: 1 } };
    expect(() =>
      applyJsonPatch(target, [
        { op: "remove", path: "/a/b" },
        { op: "remove", path: "/x" },
      ]),
    ).toThrow(PatchError);
    expect(target).toEqual({ a: { b: 1 } });
    const value = { c: [1] };
    const patch = [
      { op: "add", path: "/v", value },
      { op: "add", path: "/v/c/-", value: 2 },
    ];
    expect(applyJsonPatch({}, patch)).toEqual({ v: { c: [1, 2] } });
    expect(value).toEqual({ c: [1] });
    const copied = applyJsonPatch({ a: [1] }, [
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/b/-", value: 2 },
    ]);
    expect(copied).toEqual({ a: [1], b: [1, 2] });
  });

  it("takes ten thousand operations, and no more", () => {
    const patch = (count: number) =>
      Array.from({ length: count }, () => ({ op: "test", path: "/a", value: 1 }));
    expect(applyJsonPatch({ a: 1 }, patch(10_000))).toEqual({ a: 1 });
    expect(() => applyJsonPatch({ a: 1 }, patch(10_001))).toThrow(
      "The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
  });

  it("copies 3 MiB of JSON, and no byte more", () => {
    const copy = (length: number) => () =>
      applyJsonPatch({ a: "x".repeat(length - 2) }, [{ op: "copy", from: "/a", path: "/b" }]);
    expect(copy(3 * 2 ** 20)).not.toThrow();
    expect(copy(3 * 2 ** 20 + 1)).toThrow(/^Unable to complete the copy/);
  });

  it("shifts twenty million list items in all, and no more", () => {
    const document = { l: Array.from({ length: 100_000 }, () => 0) };
    const apply = (op: string, count: number) => () =>
      applyJsonPatch(
        document,
        Array.from({ length: count }, () => ({ op, path: "/l/0", value: 0 })),
      );
    expect(apply("add", 199)).not.toThrow();
    expect(apply("add", 200)).toThrow(/maximum of shifted list items/);
    expect(apply("remove", 200)).not.toThrow();
    expect(apply("remove", 201)).toThrow(/maximum of shifted list items/);
    expect(apply("replace", 300)).not.toThrow();
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
