import { expect, test } from "vitest";
import { deletion, replace } from "./replace.ts";
import { type Block, rulesetOf } from "./ruleset.ts";

const chain = (name: string, ...lines: readonly string[]): Block => ({ type: "chain", name, lines });
const map = (elements: Readonly<Record<string, string>>): Block => ({
  type: "map",
  name: "m",
  lines: ["type t"],
  elements: new Map(Object.entries(elements)),
});
const clients = (name: string): Block => ({ type: "set", name, lines: ["flags dynamic"] });

test("an unknown table is replaced as a whole", () => {
  const { script } = replace("t", undefined, rulesetOf([chain("a", "drop"), map({ k: "goto a" })]));
  expect(script).toBe(
    "add table ip t\ndelete table ip t\n" +
      "table ip t {\n  chain a {\n    drop\n  }\n  map m {\n    type t\n  }\n}\n" +
      "add element ip t m {\nk : goto a\n}\n",
  );
});

test("only what differs is touched, and sets that stay keep their clients", () => {
  const before = rulesetOf([
    chain("a", "drop"),
    chain("b", "accept"),
    chain("c", "accept"),
    map({ k: "goto a", l: "goto b", n: "goto c" }),
    clients("old"),
    clients("kept"),
  ]);
  const after = rulesetOf([
    chain("a", "drop"),
    chain("b", "drop"),
    map({ k: "goto a", n: "goto b" }),
    clients("kept"),
  ]);
  const { script, stale } = replace("t", before, after);
  expect(script).toBe(
    "delete element ip t m {\nl : goto b,\nn : goto c\n}\n" +
      "flush chain ip t c\nflush chain ip t b\ndelete set ip t old\n" +
      "table ip t {\n  chain b {\n    drop\n  }\n}\n" +
      "add element ip t m {\nn : goto b\n}\n",
  );
  expect([...stale]).toEqual(["c"]);
  expect(deletion("t", stale)).toBe("delete chain ip t c\n");
});

test("a chain that returns is not deleted later", () => {
  const { stale } = replace("t", rulesetOf([]), rulesetOf([chain("a", "drop")]), new Set(["a", "b"]));
  expect([...stale]).toEqual(["b"]);
});

test("equal rules need no transaction", () => {
  const ruleset = () => rulesetOf([chain("a", "drop"), map({ k: "goto a" })]);
  expect(replace("t", ruleset(), ruleset()).script).toBe("");
});
