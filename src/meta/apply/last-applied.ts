import { fieldsOf, isObject } from "../../util/is-object.ts";
import { parseExactly, sortKeys, toJson } from "../json.ts";
import type { Kind } from "../kind.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, leaf } from "./field-set.ts";
import { objectShape } from "./object-shape.ts";
import { ownedFields } from "./owned-fields.ts";

/** The annotation in which client-side `kubectl apply` stores the applied configuration. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Upstream's limit on the total size of an object's annotations, keys and values. */
const maxAnnotationsBytes = 256 * 1024;

/**
 * Reports whether the manager is kubectl, the only one that migrates from client-side to server-side apply
 * automatically.
 */
export function migratesFromClientSide(manager: string): boolean {
  return manager === "kubectl";
}

/**
 * The fields that client-side apply wrote and that are unchanged since. kubectl may change them without a
 * conflict, because it is their actual owner.
 */
export function unchangedSinceLastApplied(kind: Kind, live: object, subresource: string): FieldSet {
  const text = annotationsOf(live)?.[lastAppliedAnnotation];
  if (typeof text !== "string" || text === "") return leaf;
  const applied = parse(text, kind.schema.foreign !== undefined);
  if (!isObject(applied) || applied["apiVersion"] !== kind.apiVersion) return leaf;
  const { shape } = objectShape(kind, subresource);
  const fields = ownedFields(shape, applied);
  const found = compare(shape, applied, live);
  return difference(difference(fields, found?.changed ?? leaf), found?.removed ?? leaf);
}

function parse(text: string, exact: boolean): unknown {
  try {
    return exact ? parseExactly(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Updates the annotation of the merged object, if there is one. Drops the annotation if it is too large. */
export function refreshLastApplied(merged: object, config: object): object {
  const annotations = annotationsOf(merged);
  if (annotations === undefined || (annotations[lastAppliedAnnotation] ?? "") === "") return merged;
  const text = `${toJson(sortKeys(withoutLastApplied(config)))}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  const next = { ...others, [lastAppliedAnnotation]: text };
  const bytes = Object.entries(next).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("")), 0);
  const metadata = { ...metadataOf(merged), annotations: bytes > maxAnnotationsBytes ? others : next };
  return { ...merged, metadata };
}

function withoutLastApplied(config: object): object {
  const annotations = annotationsOf(config);
  if (annotations === undefined) return config;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return { ...config, metadata: { ...metadataOf(config), annotations: others } };
}

function metadataOf(object: object): Readonly<Record<string, unknown>> | undefined {
  const { metadata } = fieldsOf(object);
  return isObject(metadata) ? metadata : undefined;
}

function annotationsOf(object: object): Readonly<Record<string, unknown>> | undefined {
  const annotations = metadataOf(object)?.["annotations"];
  return isObject(annotations) ? annotations : undefined;
}
