import type { ScalarName } from "../../meta/schema.ts";
import type { SchemaObject } from "./schema-object.ts";

/** Scalars with a JSON type of their own; `zero` is the default of a required one. */
export const plainScalars: Partial<
  Record<ScalarName, { readonly schema: SchemaObject; readonly zero?: unknown }>
> = {
  string: { schema: { type: "string" }, zero: "" },
  boolean: { schema: { type: "boolean" }, zero: false },
  int32: { schema: { type: "integer", format: "int32" }, zero: 0 },
  int64: { schema: { type: "integer", format: "int64" }, zero: 0 },
  double: { schema: { type: "number", format: "double" }, zero: 0 },
  bytes: { schema: { type: "string", format: "byte" } },
};

interface NamedScalar {
  readonly name: string;
  readonly schema: SchemaObject;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Scalars that clients know by the name of their definition. */
export const namedScalars: Partial<Record<ScalarName, NamedScalar>> = {
  quantity: {
    name: "io.k8s.apimachinery.pkg.api.resource.Quantity",
    schema: {
      description:
        "A number with a decimal (m, k, M, …), binary (Ki, Mi, …) or exponent (e3) suffix, held exactly. It is answered in canonical form: no fraction, and the largest suffix that allows it.",
      oneOf: [{ type: "string" }, { type: "number" }],
    },
  },
  intOrString: {
    name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    schema: {
      description: "A 32-bit integer or a string, such as a port's number or name.",
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    },
  },
  time: {
    name: `${meta}.Time`,
    schema: {
      description: "A time as RFC 3339 writes it, in whole seconds.",
      format: "date-time",
      type: "string",
    },
  },
  microTime: {
    name: `${meta}.MicroTime`,
    schema: {
      description: "A time as RFC 3339 writes it, in microseconds.",
      format: "date-time",
      type: "string",
    },
  },
  duration: {
    name: `${meta}.Duration`,
    schema: { description: "A length of time, such as 1m30s.", type: "string" },
  },
  fieldsV1: {
    name: `${meta}.FieldsV1`,
    schema: {
      description:
        "A set of fields as a tree. A key is `.` for the field itself, or f:<field>, k:<keys of a list item>, v:<value of a list item> or i:<index>.",
      type: "object",
    },
  },
  json: {
    name: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
    schema: { description: "Any JSON value." },
  },
  rawExtension: {
    name: "io.k8s.apimachinery.pkg.runtime.RawExtension",
    schema: { description: "Any object, kept as it is.", type: "object" },
  },
};
