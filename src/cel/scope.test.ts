import { expect, test } from "vitest";
import { Scope } from "./scope.ts";

test("the innermost value of a name counts, and the outer one is restored, also after an error", () => {
  const scope = new Scope<number>();
  const refuse = () => {
    throw new Error("refused");
  };
  scope.within([["a", 1]], () => {
    const names: [string, number][] = [
      ["a", 2],
      ["a", 3],
      ["b", 4],
    ];
    expect(scope.within(names, () => [scope.get("a"), scope.get("b")])).toEqual([3, 4]);
    expect([scope.get("a"), scope.get("b")]).toEqual([1, undefined]);
    expect(() => scope.within([["a", 5]], refuse)).toThrow("refused");
    expect(scope.get("a")).toBe(1);
  });
  expect(scope.get("a")).toBeUndefined();
});
