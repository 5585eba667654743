import { expect, test } from "vitest";
import {
  describe as textOf,
  duplicate,
  type FieldError,
  forbidden,
  internal,
  invalid,
  notFound,
  notSupported,
  omitted,
  requiredValue,
  root,
  tooLong,
  tooMany,
} from "./field-error.ts";

const spec = root.child("spec");

test("a path is written as upstream writes it", () => {
  const containers = spec.child("containers");
  expect(String(root)).toBe("");
  expect(String(containers.index(0).child("ports").index(1).child("name"))).toBe(
    "spec.containers[0].ports[1].name",
  );
  expect(String(root.child("metadata", "annotations").key("a.b/c"))).toBe("metadata.annotations[a.b/c]");
  expect(String(spec.child(""))).toBe("spec");
  expect(String(root.index(3).child("a"))).toBe("[3].a");
  expect(String(root.key("a"))).toBe("[a]");
  // Paths that share their beginning do not change each other.
  expect(String(containers)).toBe("spec.containers");
});

/** Reasons and wording as apimachinery's `field` package has them. */
test.each<[() => FieldError, string, string]>([
  [() => invalid(spec, -1, "is wrong"), "FieldValueInvalid", "spec: Invalid value: -1: is wrong"],
  [() => invalid(spec, "a<b", "is wrong"), "FieldValueInvalid", 'spec: Invalid value: "a<b": is wrong'],
  [
    () => invalid(spec, { a: "<&>" }, "is wrong"),
    "FieldValueInvalid",
    'spec: Invalid value: {"a":"\\u003c\\u0026\\u003e"}: is wrong',
  ],
  [() => invalid(spec, undefined, "is wrong"), "FieldValueInvalid", "spec: Invalid value: null: is wrong"],
  [() => invalid(spec, omitted, "is wrong"), "FieldValueInvalid", "spec: Invalid value: is wrong"],
  [() => invalid(spec, 1e21, ""), "FieldValueInvalid", "spec: Invalid value: 1e+21"],
  [() => invalid(root, true, "is wrong"), "FieldValueInvalid", "<nil>: Invalid value: true: is wrong"],
  [() => requiredValue(spec), "FieldValueRequired", "spec: Required value"],
  [() => requiredValue(spec, "must be set"), "FieldValueRequired", "spec: Required value: must be set"],
  [() => duplicate(spec, "a"), "FieldValueDuplicate", 'spec: Duplicate value: "a"'],
  [() => forbidden(spec, "not now"), "FieldValueForbidden", "spec: Forbidden: not now"],
  [() => notFound(spec, "a"), "FieldValueNotFound", 'spec: Not found: "a"'],
  [
    () => notSupported(spec, "c", ["a", "b"]),
    "FieldValueNotSupported",
    'spec: Unsupported value: "c": supported values: "a", "b"',
  ],
  [() => notSupported(spec, "c", []), "FieldValueNotSupported", 'spec: Unsupported value: "c"'],
  [() => tooLong(spec, 63), "FieldValueTooLong", "spec: Too long: may not be more than 63 bytes"],
  [() => tooLong(spec, 1), "FieldValueTooLong", "spec: Too long: may not be more than 1 byte"],
  [() => tooMany(spec, 5, 2), "FieldValueTooMany", "spec: Too many: 5: must have at most 2 items"],
  [() => tooMany(spec, 5, 1), "FieldValueTooMany", "spec: Too many: 5: must have at most 1 item"],
  [() => internal(spec, "oops"), "InternalError", "spec: Internal error: oops"],
])("%s is told as upstream tells it", (make, reason, text) => {
  const error = make();
  expect(error.reason).toBe(reason);
  expect(textOf(error)).toBe(text);
});
