import { describe, expect, test } from "vitest";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { describe as say, root } from "../../meta/field-error.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { validateLists } from "./validate-lists.ts";
import { validateScaleSpec, validateScaleStatus } from "./validate-scale.ts";

describe("lists", () => {
  const set: JSONSchemaProps = { type: "array", "x-kubernetes-list-type": "set" };
  const byKey: JSONSchemaProps = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b"],
    items: { type: "object", properties: { in: set, b: { type: "string", default: "d" } } },
  };
  test.each<[string, JSONSchemaProps, unknown, readonly string[]]>([
    ["a set of different items", set, [1, "1", true, null], []],
    ["a set that has one twice", set, ["x", "y", "x"], ['[2]: Duplicate value: "x"']],
    ["a set that has one three times", set, ["x", "x", "x"], ['[1]: Duplicate value: "x"']],
    [
      "a set of equal objects",
      set,
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['[1]: Duplicate value: {"b":2,"a":1}'],
    ],
    ["a set of large integers", set, [9007199254740993n, 9007199254740992], []],
    ["a map of different keys", byKey, [{ a: 1, b: 1 }, { a: 1, b: 2 }, { a: 1 }], []],
    [
      "a map of equal keys",
      byKey,
      [
        { a: 1, b: 1, c: 1 },
        { a: 1, b: 1, c: 2 },
      ],
      ['[1]: Duplicate value: {"a":1,"b":1}'],
    ],
    ["a set in an item", byKey, [{ a: 1, in: [1, 1] }], ["[0].in[1]: Duplicate value: 1"]],
    [
      "a set in a map of anything",
      { type: "object", additionalProperties: set },
      { k: [1, 1] },
      ["[k][1]: Duplicate value: 1"],
    ],
    ["a plain list", { type: "array" }, [1, 1], []],
  ])("%s", (_, schema, value, expected) => {
    expect([...validateLists(value, schema, root)].map(say)).toEqual(expected);
  });
});

describe("the fields of scale", () => {
  const paths = { specReplicas: "spec.count", statusReplicas: "status.count", selector: "status.selector" };
  const accessor = "accessor error:";
  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ spec: {}, status: null }, []],
    [{ spec: { count: 0 }, status: { count: 2147483647, selector: "" } }, []],
    [{ spec: { count: -1 } }, [".spec.count: Invalid value: -1: should be a non-negative integer"]],
    [
      { status: { count: 2147483648 } },
      [".status.count: Invalid value: 2147483648: should be less than or equal to 2147483647"],
    ],
    [
      { spec: { count: "1" } },
      [`.spec.count: Invalid value: 0: .spec.count ${accessor} 1 is of the type string, expected int64`],
    ],
    [
      { spec: { count: 1.5 } },
      [`.spec.count: Invalid value: 0: .spec.count ${accessor} 1.5 is of the type float64, expected int64`],
    ],
    [
      { spec: [] },
      [
        `.spec.count: Invalid value: 0: .spec.count ${accessor} [] is of the type []interface {}, expected map[string]interface{}`,
      ],
    ],
    [
      { status: { selector: 5 } },
      [
        `.status.selector: Invalid value: "": .status.selector ${accessor} 5 is of the type int64, expected string`,
      ],
    ],
  ])("%j", (object, expected) => {
    const found = [...validateScaleSpec(object, paths), ...validateScaleStatus(object, paths)];
    expect(found.map(say)).toEqual(expected);
  });
});

test("adding a finalizer without a domain warns", () => {
  const object = (...finalizers: readonly string[]) => ({
    apiVersion: "example.com/v1",
    kind: "Cron",
    metadata: { name: "c", finalizers },
  });
  const advice = "to avoid accidental conflicts with other finalizer writers";
  const all = object("example.com/ok", "example.com", "plain", "orphan");
  expect(finalizerWarnings(all, object("old"))).toEqual([
    `metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) ${advice}`,
    `metadata.finalizers: "plain": prefer a domain-qualified finalizer name ${advice}`,
  ]);
  expect(finalizerWarnings(all, all)).toEqual([]);
});
