import { expect, it } from "vitest";
import {
  checkConfiguration,
  ConfigurationError,
  decodeStrictly,
  parseConfiguration,
  refusing,
} from "./component-configuration.ts";
import { DecodeError } from "./decode.ts";
import { FieldPath, invalid, requiredValue } from "./field-error.ts";
import { int32, messages, optional } from "./schema.ts";

const kind = { apiVersion: "test/v1", kind: "Settings" };
const typeMeta = "apiVersion: test/v1\nkind: Settings\n";
const Settings = messages("test.v1")("Settings", "", { size: optional(1, int32, "") });

it("parses YAML and JSON of the kind", () => {
  const settings = { ...kind, size: 1 };
  expect(parseConfiguration(`${typeMeta}size: 1`, kind)).toEqual(settings);
  expect(parseConfiguration(JSON.stringify(settings), kind)).toEqual(settings);
});

it.each([
  ["", "the configuration is empty, or no object"],
  ["[]", "the configuration is empty, or no object"],
  ["a: [", /^yaml: line 1: /],
  ["size: 1", 'no kind "" is registered for version "": it must be Settings in test/v1'],
  [
    "apiVersion: test/v1\nkind: Other",
    'no kind "Other" is registered for version "test/v1": it must be Settings in test/v1',
  ],
  [
    "apiVersion: test/v2\nkind: Settings\nsize: 1\nsize: 2",
    'no kind "Settings" is registered for version "test/v2": it must be Settings in test/v1',
  ],
  [
    `${typeMeta}size: 1\nsize: 2\nkind: Settings`,
    'strict decoding error: yaml: unmarshal errors:\n  line 4: key "size" already set in map\n' +
      '  line 5: key "kind" already set in map',
  ],
])("%j is refused", (text, message) => {
  expect(problemOf(() => parseConfiguration(text, kind))).toEqual(matching(message));
});

it("decodes known fields, and refuses others", () => {
  expect(decodeStrictly(Settings, { ...kind, size: 1 })).toEqual({ size: 1 });
  expect(problemOf(() => decodeStrictly(Settings, { foo: 1, size: 1, bar: 1 }, "profiles[0]: "))).toBe(
    'profiles[0]: strict decoding error: unknown field "foo", unknown field "bar"',
  );
  expect(problemOf(() => decodeStrictly(Settings, { foo: 1 }))).toBe(
    'strict decoding error: unknown field "foo"',
  );
  expect(problemOf(() => decodeStrictly(Settings, { size: "1" }, "at: "))).toBe(
    "at: json: cannot unmarshal string into Go struct field Settings.size of type int32",
  );
});

it("turns refusals into errors of the configuration, and leaves faults", () => {
  expect(refusing(() => 1)).toBe(1);
  for (const cause of [new DecodeError("no"), new RangeError("no")]) {
    const refused = () => {
      throw cause;
    };
    expect(problemOf(() => refusing(refused, "at: "))).toBe("at: no");
    expect(problemOf(() => refusing(refused))).toBe("no");
  }
  const fault = new TypeError("a fault");
  expect(() =>
    refusing(() => {
      throw fault;
    }),
  ).toThrow(fault);
});

it("lists all problems of fields", () => {
  const [size, name] = [new FieldPath("size"), new FieldPath("name")];
  checkConfiguration([]);
  expect(problemOf(() => checkConfiguration([requiredValue(name, "")]))).toBe("name: Required value");
  expect(problemOf(() => checkConfiguration([invalid(size, 0, "too small"), requiredValue(name, "")]))).toBe(
    "[size: Invalid value: 0: too small, name: Required value]",
  );
});

/** The message of the ConfigurationError that the work throws. */
function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError && error.name === "ConfigurationError") return error.message;
    throw error;
  }
  throw new TypeError("nothing was refused");
}

function matching(message: string | RegExp): unknown {
  return typeof message === "string" ? message : expect.stringMatching(message);
}
