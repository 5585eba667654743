import { expect, test } from "vitest";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { Correlation, OldItems } from "./correlation.ts";

const any: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true };
const byKey: JSONSchemaProps = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", properties: { k: any, v: any } },
};
const list: JSONSchemaProps = { type: "array", items: any };
const object: JSONSchemaProps = { type: "object", properties: { a: any, list, byKey } };

const part = (correlation: Correlation | undefined, ...path: readonly (string | number)[]) =>
  path.reduce(
    (one: Correlation | undefined, step) => (typeof step === "number" ? one?.index(step) : one?.key(step)),
    correlation,
  );

test.each<[string, object, object, readonly (string | number)[], unknown]>([
  ["a field by its name", { a: 1 }, { a: 2 }, ["a"], 2],
  ["nothing, for a field that is new", { a: 1 }, {}, ["a"], undefined],
  ["nothing, for what no schema describes", { b: 1 }, { b: 2 }, ["b"], undefined],
  [
    "an item by its keys",
    { byKey: [{ k: "b", v: 1 }] },
    { byKey: [{ k: "a" }, { k: "b", v: 2 }] },
    ["byKey", 0, "v"],
    2,
  ],
  [
    "nothing, for an item whose keys are new",
    { byKey: [{ k: "c" }] },
    { byKey: [{ k: "a" }] },
    ["byKey", 0],
    undefined,
  ],
  [
    "nothing, for an item whose key has another type",
    { byKey: [{ k: 1 }] },
    { byKey: [{ k: "1" }] },
    ["byKey", 0],
    undefined,
  ],
  ["nothing, for an item of a plain list", { list: [1] }, { list: [1] }, ["list", 0], undefined],
])("values correlate: %s", (_, value, old, path, expected) => {
  expect(part(new Correlation(object, value, old), ...path)?.old).toBe(expected);
});

test.each<[JSONSchemaProps, unknown, unknown, boolean]>([
  [any, 1, 1, true],
  [any, 1, "1", false],
  [any, null, null, true],
  [object, { a: 1 }, { a: 1 }, true],
  [object, { a: 1 }, {}, false],
  [object, { b: 1 }, { b: 1 }, false],
  [list, [1, { x: 1 }], [1, { x: 1 }], true],
  [list, [1, 2], [2, 1], false],
  [byKey, [{ k: 1 }, { k: 2 }], [{ k: 2 }, { k: 1 }], true],
  [byKey, [{ k: 1 }], [{ k: 1 }, { k: 2 }], false],
  [byKey, [{ k: 1, v: 1 }], [{ k: 1, v: 2 }], false],
])("by the schema %j, %j after %j is unchanged: %j", (schema, value, old, expected) => {
  expect(new Correlation(schema, value, old).isUnchanged).toBe(expected);
});

test("the first of several old items with the same keys is found; lists of other types have no matches", () => {
  const items = new OldItems(byKey, [{ k: 1, v: "a" }, { k: 1, v: "b" }, "x", { v: 1 }]);
  expect(items.find({ k: 1 })).toEqual({ k: 1, v: "a" });
  expect(items.find("x")).toBeUndefined();
  expect(new OldItems(list, [{ k: 1 }]).find({ k: 1 })).toBeUndefined();
  expect(new OldItems(byKey, "no list").find({ k: 1 })).toBeUndefined();
});
