import { describe, type FieldError, root } from "../../../meta/field-error.ts";
import { goType } from "../../../meta/go-value.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { validateAnnotations, validateLabels } from "../../../meta/validation/labels.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { isObject } from "../../../util/is-object.ts";

/** The object that a webhook returned is invalid. The message is upstream's, without its beginning. */
export class ConvertedObjectError extends Error {
  override readonly name = "ConvertedObjectError";
  readonly part: Part;

  constructor(part: Part, message: string) {
    super(message);
    this.part = part;
  }
}

/** The invalid part of the object: its type, its identity, or its metadata. */
type Part = "type" | "identity" | "metadata";

export type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the converted object with the original's metadata, of which a webhook may change only labels and
 * annotations (apiextensions-apiserver `conversion/webhook_converter.go`).
 * @throws ConvertedObjectError
 */
export function acceptConverted(original: KubeObject, converted: Json, apiVersion: string): KubeObject {
  mustBeTheSame(original, converted, apiVersion);
  const metadata = Object.hasOwn(converted, "metadata") ? converted["metadata"] : undefined;
  if (!isObject(metadata)) {
    const what = metadata === undefined ? "missing metadata" : `invalid metadata of type ${goType(metadata)}`;
    throw new ConvertedObjectError("metadata", `${what} in converted object`);
  }
  const { labels: _, annotations: __, ...kept } = original.metadata;
  const labels = textsOf(metadata, "labels", original, validateLabels);
  const annotations = textsOf(metadata, "annotations", original, validateAnnotations);
  const { apiVersion: ___, kind: ____, ...others } = converted;
  return {
    apiVersion,
    kind: original.kind,
    ...others,
    metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}

function mustBeTheSame(original: KubeObject, converted: Json, apiVersion: string): void {
  const { metadata } = converted;
  const received = isObject(metadata) ? metadata : {};
  if (converted["apiVersion"] !== apiVersion) {
    const what = `expected ${apiVersion}, received ${text(converted["apiVersion"])}`;
    throw new ConvertedObjectError("type", `invalid groupVersion (${what})`);
  }
  if (converted["kind"] !== original.kind) {
    const what = `expected ${original.kind}, received ${text(converted["kind"])}`;
    throw new ConvertedObjectError("type", `invalid kind (${what})`);
  }
  for (const [field, name] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [before, after] = [original.metadata[field] ?? "", text(received[field])];
    if (before !== after) {
      throw new ConvertedObjectError("identity", `must have the same ${name}: ${before} != ${after}`);
    }
  }
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

type Texts = Readonly<Record<string, string>>;

/** Returns labels or annotations; only changed ones are validated. */
function textsOf(
  metadata: Json,
  name: "labels" | "annotations",
  original: KubeObject,
  validate: (texts: Texts, path: typeof root) => Iterable<FieldError>,
): Texts | undefined {
  const value = metadata[name];
  if (value === undefined || value === null) return undefined;
  const wrong = (why: string) => new ConvertedObjectError("metadata", why);
  if (!isObject(value)) throw wrong(`invalid metadata.${name} of type ${goType(value)} in converted object`);
  const entries = Object.entries(value).map(([key, one]): [string, string] => {
    if (typeof one === "string") return [key, one];
    throw wrong(`metadata.${name}[${key}] must be a string, but is ${goType(one)} in converted object`);
  });
  const texts: Texts = Object.fromEntries(entries);
  if (deepEqual(texts, original.metadata[name] ?? {})) return texts;
  const path = root.child("metadata", name === "labels" ? "labels" : "annotation");
  const problems = [...validate(texts, path)].map(describe);
  if (problems.length > 0)
    throw wrong(problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`);
  return texts;
}
