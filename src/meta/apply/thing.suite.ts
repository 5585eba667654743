import fc from "fast-check";
import { decode } from "../decode.ts";
import { defineKind, type KubeObject } from "../kind.ts";
import {
  atomicMap,
  int32,
  json,
  keyed,
  list,
  map,
  messages,
  optional,
  pointer,
  required,
  set,
  string,
} from "../schema.ts";
import { ObjectMeta } from "../v1.ts";

/** A small kind with one field of each type, for the tests in this folder. */
const message = messages("io.test.v1");
const Port = message("Port", "An item with two keys, one of them defaulted.", {
  port: required(1, int32, "A key."),
  protocol: optional(2, string, "A key.", { default: "TCP" }),
  name: optional(3, string, "A value."),
});
const Spec = message("Spec", "One field of each sort.", {
  replicas: pointer(1, int32, "A scalar."),
  ports: optional(2, keyed(Port, "port", "protocol"), "A keyed list."),
  tags: optional(3, set(string), "A set."),
  args: optional(4, list(string), "An atomic list."),
  selector: optional(5, atomicMap(string), "An atomic map."),
  data: optional(6, map(string), "A map."),
  free: pointer(7, json, "Any JSON."),
});
const Thing = message("Thing", "A kind.", {
  metadata: optional(1, ObjectMeta, "Metadata."),
  spec: optional(2, Spec, "Desired."),
  status: optional(3, message("Status", "Observed.", { ready: pointer(1, int32, "A scalar.") }), "Observed."),
});

export const things = defineKind(Thing, {
  group: "test.io",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
  status: true,
});

/** Makes a stored object from an input, as the server does. */
export function stored(input: object): KubeObject {
  return { apiVersion: things.apiVersion, kind: things.kind, ...decode(Thing, input) };
}

export function thing(fields: {
  readonly spec?: object;
  readonly metadata?: object;
  readonly status?: object;
}) {
  return { apiVersion: "test.io/v1", kind: "Thing", ...fields, metadata: { name: "x", ...fields.metadata } };
}

/** An arbitrary `spec`. Its keys come from `names`, so that two configurations can be disjoint. */
export function specs(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.constantFrom(...names);
  const port = fc.constantFrom(...names.map((text) => text.charCodeAt(0)));
  const value = fc.constantFrom("1", "2");
  return fc.record(
    {
      ports: fc.uniqueArray(
        fc.record({ port, protocol: fc.constantFrom("TCP", "UDP"), name: value }, { requiredKeys: ["port"] }),
        { selector: (item) => `${item.port}/${item.protocol ?? "TCP"}`, minLength: 1 },
      ),
      tags: fc.uniqueArray(name, { minLength: 1 }),
      data: fc.dictionary(name, value, { minKeys: 1 }),
    },
    { requiredKeys: [] },
  );
}
