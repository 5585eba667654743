import { describe, expect, test } from "vitest";
import { columnsOf } from "./columns.ts";

const object = {
  apiVersion: "example.com/v1",
  kind: "Cron",
  metadata: { name: "c", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    text: "t",
    int: 5,
    big: 9007199254740993n,
    float: 1.5,
    huge: 1e21,
    yes: true,
    nothing: null,
    list: [{ n: "a" }, { n: "b" }],
    inner: { z: 1, a: ["x"] },
  },
};

describe("a cell", () => {
  test.each<[string, string, unknown]>([
    ["string", ".spec.text", "t"],
    ["string", ".spec.int", "5"],
    ["string", ".spec.big", "9007199254740993"],
    ["string", ".spec.huge", "1e+21"],
    ["string", ".spec.yes", "true"],
    ["string", ".spec.nothing", "<no value>"],
    ["string", ".spec.inner", '{"a":["x"],"z":1}'],
    ["string", ".spec.list[*].n", "a"],
    ["string", ".spec.list[7].n", null],
    ["string", ".spec.missing", null],
    ["integer", ".spec.int", 5],
    ["integer", ".spec.float", 1],
    ["integer", ".spec.big", 9007199254740993n],
    ["integer", ".spec.text", null],
    ["number", ".spec.float", 1.5],
    ["number", ".spec.text", null],
    ["boolean", ".spec.yes", true],
    ["boolean", ".spec.int", null],
    ["date", ".metadata.creationTimestamp", "2026-01-01T00:00:00Z"],
    ["date", ".spec.int", null],
  ])("of type %s at %s is %s", (type, jsonPath, expected) => {
    const [, column] = columnsOf([{ name: "C", type, jsonPath }]);
    expect(column?.cell(object, 0)).toBe(expected);
  });
});

test("Name comes first, and Age is the default", () => {
  expect(columnsOf().map(({ name }) => name)).toEqual(["Name", "Age"]);
  const [name, at] = columnsOf([
    { name: "At", type: "string", jsonPath: ".spec.at", priority: 1, format: "byte" },
  ]);
  expect(name?.format).toBe("name");
  expect(at).toMatchObject({
    name: "At",
    priority: 1,
    format: "byte",
    description: "Custom resource definition column (in JSONPath format): .spec.at",
  });
});

test("columns end before one with an invalid path", () => {
  const column = (name: string, jsonPath: string) => ({ name, type: "string", jsonPath });
  const columns = columnsOf([column("A", ".a"), column("B", ".b["), column("C", ".c")]);
  expect(columns.map(({ name }) => name)).toEqual(["Name", "A"]);
});
