import type { Kind } from "../kind.ts";
import { resolve, type Field, type MessageType } from "../schema.ts";
import { zeroScalar } from "../decode.ts";
import { FieldShape, type StructShape, structShape } from "./shape.ts";

/**
 * The shape of a kind for one endpoint. It excludes fields without owners (identity and counters of the
 * server) and fields that the endpoint does not write.
 */
export interface ObjectShape {
  readonly shape: StructShape;
  /** An empty object: Go's zero value in JSON. */
  readonly zero: Readonly<Record<string, unknown>>;
}

/** Metadata fields without owners. */
const unowned = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]);

const objectShapes = new WeakMap<MessageType, { main: ObjectShape; status: ObjectShape }>();

export function objectShape(kind: Kind, subresource: string): ObjectShape {
  let shapes = objectShapes.get(kind.schema);
  if (shapes === undefined) {
    shapes = {
      main: mainShape(kind),
      status: makeShape(kind.schema, (name) => name === "status" || name === "metadata"),
    };
    objectShapes.set(kind.schema, shapes);
  }
  return subresource === "status" ? shapes.status : shapes.main;
}

function mainShape({ schema, status }: Kind): ObjectShape {
  const made = makeShape(schema, (name) => name !== "status" || !status);
  if (!schema.open) return made;
  const open = new Set(["apiVersion", "kind", ...(status ? ["status"] : [])]);
  return { ...made, shape: { ...made.shape, open } };
}

function makeShape(schema: MessageType, writes: (field: string) => boolean): ObjectShape {
  const fields = new Map<string, FieldShape>();
  for (const [name, field] of schema.fields) {
    if (!writes(name)) continue;
    fields.set(name, name === "metadata" ? metadataShape(field) : new FieldShape(name, field));
  }
  return { shape: { kind: "struct", fields }, zero: zeroMessage(schema) };
}

function metadataShape(field: Field): FieldShape {
  const type = resolve(field.type);
  if (type.kind !== "message") return new FieldShape("metadata", field);
  const owned = [...structShape(type).fields].filter(([name]) => !unowned.has(name));
  return new FieldShape("metadata", field, { kind: "struct", fields: new Map(owned) });
}

function zeroMessage(schema: MessageType): Record<string, unknown> {
  const zero: Record<string, unknown> = {};
  for (const [name, field] of schema.fields) {
    const value = zeroField(field);
    if (value !== undefined) zero[name] = value;
  }
  return zero;
}

/** The JSON value of an unset field. */
function zeroField({ type, presence }: Field): unknown {
  if (presence === "pointer") return undefined;
  if (type.kind === "message") return zeroMessage(type);
  if (presence !== "required") return undefined;
  if (type.kind === "list") return [];
  return type.kind === "map" ? {} : zeroScalar(type);
}
