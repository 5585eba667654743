import { traversal } from "../cost/model.ts";
import { global, type Library } from "../declarations.ts";
import type { TypeProvider } from "../environment.ts";
import { equal } from "../equality.ts";
import { goTypeName } from "../format-value.ts";
import { dyn, objectType, string } from "../types.ts";
import type { Kind, Type } from "../type.ts";
import { CelError, CelObject, type Result, type Value } from "../values.ts";
import { runtimeType } from "../runtime-type.ts";

/**
 * JSON patches of policies: `JSONPatch{op: "add", path: "/a", value: 1}`
 * (`k8s.io/apiserver/pkg/cel/mutation/jsonpatch.go`, `library/jsonpatch.go`).
 */

export const jsonPatchType = objectType<JsonPatch>("JSONPatch");

/** One operation. Unset strings are empty. */
export class JsonPatch extends CelObject {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: Value | undefined;

  constructor(texts: Readonly<Record<TextField, string>>, value: Value | undefined) {
    super();
    this.op = texts.op;
    this.path = texts.path;
    this.from = texts.from;
    this.value = value;
  }

  override get type(): Type {
    return jsonPatchType;
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof JsonPatch)) return false;
    if (textFields.some((field) => this[field] !== other[field])) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equal(this.value, other.value);
  }

  override field(name: string): Result | undefined {
    if (name === "value") return this.value;
    return isTextField(name) ? this[name] || undefined : undefined;
  }

  override read(name: string): Result {
    if (name === "value") return this.value ?? null;
    return isTextField(name) ? this[name] : new CelError(`unsupported indexer: ${name}`);
  }
}

const textFields = ["op", "path", "from"] as const;
type TextField = (typeof textFields)[number];
const isTextField = (name: string): name is TextField => textFields.some((field) => field === name);

/** The Go types of scalars in upstream's messages. */
const goTypes: Partial<Record<Kind, string>> = {
  bool: "bool",
  bytes: "[]uint8",
  double: "float64",
  int: "int64",
  uint: "uint64",
};

function construct(_type: string, fields: ReadonlyMap<string, Value>): Result {
  const texts = { op: "", path: "", from: "" };
  for (const field of textFields) {
    const value = fields.get(field) ?? "";
    if (typeof value !== "string") {
      return new CelError(
        `unexpected type ${goTypes[runtimeType(value).kind] ?? goTypeName(value)} for JSONPatchType '${field}' field`,
      );
    }
    texts[field] = value;
  }
  return new JsonPatch(texts, fields.get("value"));
}

export const jsonPatchTypes: TypeProvider = {
  findType: (name) => (name === jsonPatchType.name ? jsonPatchType : undefined),
  findField: (type, field) => {
    if (type !== jsonPatchType.name) return undefined;
    return field === "value" ? dyn : isTextField(field) ? string : undefined;
  },
  construct,
};

/** Escapes a key for the path of an operation (RFC 6901). */
const escapeKey = (key: string) => key.replace(/[~/]/g, (character) => (character === "~" ? "~0" : "~1"));

export const jsonPatches: Library = {
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [global("string_jsonpatch_escapeKey_string", [string], string, escapeKey)],
      cost: traversal(0),
    },
  ],
};
