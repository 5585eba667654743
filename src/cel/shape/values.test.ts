import { describe, expect, test } from "vitest";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";
import { toJson } from "../json.ts";
import { optionals } from "../libraries/optionals.ts";
import { standardLibrary } from "../standard/library.ts";
import { CelError } from "../values.ts";
import {
  boolShape,
  bytesShape,
  dateTimeShape,
  durationShape,
  intOrStringShape,
  intShape,
  stringShape,
} from "./scalars.ts";
import { listShape, mapShape, objectShape, type Shape } from "./shape.ts";
import { shapeTypes } from "./types.ts";
import { readJson } from "./values.ts";

/** Evaluates an expression about `self`. */
function evaluate(shape: Shape, json: unknown, source: string): unknown {
  const declared = environment({
    libraries: [standardLibrary, optionals],
    variables: { self: shape.type },
    types: [shapeTypes(shape)],
  });
  const compiled = compile(declared, source);
  if (!compiled.ok) return compiled.message;
  const { result } = compiled.program.evaluate({ self: readJson(json, shape) });
  return result instanceof CelError ? `error: ${result.message}` : toJson(result);
}

/** A proxy of the JSON that records which properties are read. */
function watched(json: object, path: string, read: string[]): object {
  return new Proxy(json, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key !== "string" || key === "length") return value;
      read.push(`${path}${key}`);
      return typeof value === "object" && value !== null ? watched(value, `${path}${key}.`, read) : value;
    },
  });
}

describe("JSON with a shape", () => {
  const item = objectShape("Item", { key: stringShape(10), value: intShape });
  const root = objectShape("Root", {
    name: stringShape(10),
    "a-b": boolShape,
    namespace: stringShape(10),
    items: listShape(item, 10, { keys: ["key"] }),
    tags: listShape(stringShape(5), 10, "set"),
    labels: mapShape(stringShape(5), 10),
    maybe: { ...stringShape(5), nullable: true },
  });

  test("only the properties that an expression reads are visited", () => {
    const read: string[] = [];
    const json = {
      name: "n",
      labels: { a: "1", b: "2" },
      items: [
        { key: "x", value: 1 },
        { key: "y", value: 2 },
      ],
    };
    const self = watched(json, "", read);
    expect(evaluate(root, self, "self.items[1].value == 2 && self.labels.a == '1'")).toBe(true);
    expect(read).toEqual(["items", "items.1", "items.1.value", "labels", "labels.a"]);
  });

  test.each<[string, unknown]>([
    ["self.a__dash__b", true],
    ["self.namespace + self.__namespace__", "nsns"],
    ["has(self.name)", false],
    ["has(self.maybe)", false],
    ["self.?maybe.orValue('none')", "none"],
    ["self.name", "error: no such key: name"],
    ["self.tags == ['b', 'a']", true],
    ["self.tags == ['b', 'c']", false],
    ["self.tags + ['c', 'a']", ["a", "b", "c"]],
    ["(self.items + [self.items[0]]).size()", 2],
    ["self.items.map(i, i.key)", ["x", "y"]],
    ["self.labels.map(k, k)", ["l"]],
    ["dyn(self).exists(k, k == '__namespace__')", true],
    ["type(self) == map", true],
    ["self.unknown", expect.stringMatching(/undefined field 'unknown'/)],
  ])("%s is %j", (source, expected) => {
    const json = {
      "a-b": true,
      namespace: "ns",
      maybe: null,
      tags: ["a", "b"],
      items: [
        { key: "x", value: 1 },
        { key: "y", value: 2 },
      ],
      labels: { l: "v" },
      unknown: 5,
    };
    expect(evaluate(root, json, source)).toEqual(expected);
  });

  test.each<[string, Shape, unknown, unknown]>([
    ["a text", stringShape(5), 1, "error: invalid data, expected string, got float64"],
    ["an integer", intShape, 1.5, "error: invalid data, expected int, got float64"],
    [
      "a list",
      listShape(intShape, 5),
      {},
      "error: invalid data, expected an array for the provided schema with type=array",
    ],
    [
      "an object",
      mapShape(intShape, 5),
      [],
      "error: invalid data, expected a map for the provided schema with type=object",
    ],
    ["anything but null", intShape, null, "error: invalid data, got null for schema with nullable=false"],
    [
      "a port",
      intOrStringShape(5),
      true,
      "error: invalid data, expected XIntOrString value to be either a string or integer",
    ],
    ["a port's name", intOrStringShape(5), "http", "http"],
    ["bytes", bytesShape(9), "AAE=", "AAE="],
    ["no bytes", bytesShape(9), "?", "error: Invalid byte formatted string ?"],
    ["a time", dateTimeShape, "2020-01-01T00:00:00", "2020-01-01T00:00:00Z"],
    ["a duration in words", durationShape, "3 days", "259200s"],
    ["no duration", durationShape, "soon", "error: Invalid duration soon"],
  ])("%s is expected", (_what, shape, json, expected) => {
    expect(evaluate(shape, json, "self")).toBe(expected);
  });
});
