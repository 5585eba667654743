import { embeddedObjects, typeMismatch } from "../../api/apiextensions/values/embedded.ts";
import { pruneResource } from "../../api/apiextensions/values/prune.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { countKeys, decode, DecodeError, mostUnknown } from "../../meta/decode.ts";
import { describe, type FieldPath, root } from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { DecodeReport } from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { dropNulls, setDefaults } from "./defaulting.ts";
import { isObject } from "../../util/is-object.ts";

/**
 * The canonical form of a custom resource: values stay as sent. Unknown fields and invalid nulls are dropped,
 * defaults are set, and metadata gets its form of all kinds.
 */

type Json = Record<string, unknown>;

/**
 * The greatest depth of an object. Upstream allows ten thousand; here each level takes stack in several
 * passes.
 */
const maxDepth = 1000;

function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => nestsDeeperThan(levels - 1, one));
}

/** Decodes a client's object, without `apiVersion` and `kind`. @throws DecodeError */
export function readObject(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  report?: DecodeReport,
): Record<string, unknown> {
  if (!isObject(value)) {
    const found = Array.isArray(value) ? "array" : typeof value;
    throw new DecodeError(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  // managedFields are a tree as deep as the object.
  const isTooDeep = Object.entries(value).some(([name, one]) =>
    nestsDeeperThan(name === "metadata" ? maxDepth + 5 : maxDepth, one),
  );
  if (isTooDeep) throw new DecodeError("exceeded max depth");
  if (report !== undefined) report.keys += countKeys(value);
  const metadata = readMetadata(value["metadata"], root, report?.unknown);
  const pruned: string[] | undefined = report === undefined ? undefined : [];
  const object = pruneResource(value, schema, pruned);
  report?.unknown.push(...firstOf(pruned));
  dropNulls(object, schema);
  readEmbedded(object, schema, report);
  setDefaults(object, schema);
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = object;
  return { metadata, ...fields };
}

function readMetadata(value: unknown, path: FieldPath, unknown: string[] | undefined): ObjectMeta {
  const report = unknown === undefined ? undefined : { unknown: [], keys: 0 };
  const metadata = decode(ObjectMeta, value ?? {}, report);
  for (const name of report?.unknown ?? []) unknown?.push(path.child("metadata", name).toString());
  return metadata;
}

/** Prunes embedded objects, which have metadata of their own. */
function readEmbedded(object: Json, schema: JSONSchemaProps | undefined, report?: DecodeReport): void {
  if (schema === undefined) return;
  const unknown: string[] | undefined = report === undefined ? undefined : [];
  for (const [inner, path] of embeddedObjects(object, schema, root)) {
    const mismatch = typeMismatch(inner, path);
    if (mismatch !== undefined) throw new DecodeError(describe(mismatch));
    if (Object.hasOwn(inner, "metadata")) {
      Object.assign(inner, { metadata: readMetadata(inner["metadata"], path, unknown) });
    }
  }
  report?.unknown.push(...firstOf(unknown));
}

/** Returns the unknown fields that a response lists. */
function firstOf(unknown: string[] = []): readonly string[] {
  return unknown.sort().slice(0, mostUnknown);
}

/** Drops the fields of a converted object that the new version's schema does not have. */
export function pruneConverted(converted: KubeObject, schema: JSONSchemaProps | undefined): KubeObject {
  const object = prunedResource(converted, schema);
  dropNulls(object, schema);
  readEmbedded(object, schema);
  return object;
}

/** Applies the present schema to a stored object. Returns the same object when nothing changes. */
export function settleStored(stored: KubeObject, schema: JSONSchemaProps | undefined): KubeObject {
  const object = prunedResource(stored, schema);
  dropNulls(object, schema);
  setDefaults(object, schema);
  return deepEqual(object, stored) ? stored : object;
}

function prunedResource(object: KubeObject, schema: JSONSchemaProps | undefined): KubeObject<Json> {
  // Pruning leaves these three alone.
  const { apiVersion, kind, metadata } = object;
  return { ...pruneResource(object, schema), apiVersion, kind, metadata };
}
