import type { GroupVersionKind } from "../../meta/kind.ts";
import {
  type Field,
  type ListType,
  type MapType,
  type MessageType,
  resolve,
  type ScalarType,
  type Type,
} from "../../meta/schema.ts";
import { ListMeta } from "../../meta/v1.ts";
import { customDefinition } from "./custom-definition.ts";
import { WatchEvent } from "./meta-messages.ts";
import { optionalThoughWritten, requiredThoughOmitted } from "./required.ts";
import { type Definer, type Reference, reference, type SchemaObject } from "./schema-object.ts";
import { typeMeta } from "./type-meta.ts";
import { namedScalars, plainScalars } from "./well-known.ts";
import { by } from "../../util/compare.ts";

/** Returns the kinds whose schema a message is, by the message's name. */
export type KindsOf = (message: string) => readonly GroupVersionKind[];

/** Collects the definitions that one document references, directly and indirectly. */
export class Definitions implements Definer {
  readonly #kindsOf: KindsOf;
  readonly #schemas = new Map<string, SchemaObject>();

  constructor(kindsOf: KindsOf) {
    this.#kindsOf = kindsOf;
  }

  refer(message: MessageType): Reference {
    if (!this.#schemas.has(message.name)) {
      // Registered before its fields are described, because a message may contain itself.
      this.#schemas.set(message.name, {});
      this.#schemas.set(message.name, this.#describe(message));
    }
    return reference(message.name);
  }

  add(name: string, schema: SchemaObject): Reference {
    if (!this.#schemas.has(name)) this.#schemas.set(name, schema);
    return reference(name);
  }

  /** The definitions by name, sorted. */
  all(): SchemaObject {
    return Object.fromEntries([...this.#schemas].sort(by(([name]) => name)));
  }

  #describe(message: MessageType): SchemaObject {
    const kinds = this.#kindsOf(message.name);
    if (message.foreign !== undefined) {
      const { openApi } = message.foreign;
      return { ...customDefinition(openApi, this), "x-kubernetes-group-version-kind": kinds };
    }
    // WatchEvents have a kind only in documents.
    const isObject = kinds.length > 0 && message !== WatchEvent;
    const properties: Record<string, SchemaObject> = isObject ? { ...typeMeta } : {};
    const metadata = message.fields.get("metadata")?.type;
    for (const [name, field] of message.fields) properties[name] = this.#property(field, metadata);
    const struct = message.name.replace(/^io\.k8s\.api\./, "");
    const required = [...message.fields]
      .filter(([name, field]) => isRequired(`${struct}.${name}`, field))
      .map(([name]) => name);
    return {
      description: message.doc,
      ...(required.length === 0 ? {} : { required }),
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      type: "object",
      ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds }),
      ...(message.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    };
  }

  /** `metadata` is the type of the message's field of this name. Lists of objects are not merged. */
  #property(field: Field, metadata: Type | undefined): SchemaObject {
    const { doc: description, presence } = field;
    const type = resolve(field.type);
    const set = defaultOf(field);
    switch (type.kind) {
      case "message": {
        const value = set ?? (presence === "pointer" ? undefined : {});
        return { ...this.#wrap(this.refer(type)), description, ...withDefault(value), ...patching(field) };
      }
      case "scalar": {
        const zero = presence === "required" ? plainScalars[type.name]?.zero : undefined;
        const schema = this.#scalar(type);
        return {
          ...("$ref" in schema ? this.#wrap(schema) : schema),
          description,
          ...withDefault(set ?? zero),
        };
      }
      case "list":
      case "map":
        return {
          ...this.#collection(type),
          ...(metadata === ListMeta ? {} : merging(type)),
          description,
          ...withDefault(set),
          ...patching(field),
        };
    }
  }

  /** Wraps a reference, because OpenAPI 3.0 ignores its siblings. */
  #wrap(reference: SchemaObject): SchemaObject {
    return { allOf: [reference] };
  }

  #collection(type: ListType | MapType): SchemaObject {
    const of = this.#item(type.of);
    return type.kind === "map" ? { type: "object", additionalProperties: of } : { type: "array", items: of };
  }

  #item(of: Type): SchemaObject {
    const type = resolve(of);
    switch (type.kind) {
      case "message":
        return { ...this.#wrap(this.refer(type)), default: {} };
      case "scalar":
        return { ...this.#scalar(type), ...withDefault(plainScalars[type.name]?.zero) };
      case "list":
      case "map":
        return this.#collection(type);
    }
  }

  #scalar(type: ScalarType): SchemaObject {
    if (type.union !== undefined) {
      const { name, doc } = type.union.message();
      return this.add(name, { description: doc });
    }
    const named = namedScalars[type.name];
    if (named !== undefined) return this.add(named.name, named.schema);
    const schema = plainScalars[type.name]?.schema ?? {};
    return type.enum === undefined ? schema : { ...schema, enum: type.enum };
  }
}

function isRequired(name: string, { presence }: Field): boolean {
  if (requiredThoughOmitted.has(name)) return true;
  return presence === "required" && !optionalThoughWritten.has(name);
}

function defaultOf({ default: value }: Field): unknown {
  return typeof value === "function" ? value() : value;
}

/**
 * Returns the extensions for server-side apply of a field's list or map. As upstream, only fields have them;
 * lists in maps are atomic.
 */
function merging(type: ListType | MapType): SchemaObject {
  if (type.kind === "map") return type.atomic ? { "x-kubernetes-map-type": "atomic" } : {};
  return {
    "x-kubernetes-list-type": type.semantics,
    ...(type.semantics === "map" ? { "x-kubernetes-list-map-keys": type.keys } : {}),
  };
}

function withDefault(value: unknown): SchemaObject {
  return value === undefined ? {} : { default: value };
}

/** Returns the extensions for strategic merge patches, from which kubectl computes its patches. */
function patching({ merge, replace, retainKeys }: Field): SchemaObject {
  const strategies = [
    ...(merge === undefined ? [] : ["merge"]),
    ...(replace ? ["replace"] : []),
    ...(retainKeys ? ["retainKeys"] : []),
  ];
  return {
    ...(typeof merge === "string" ? { "x-kubernetes-patch-merge-key": merge } : {}),
    ...(strategies.length === 0 ? {} : { "x-kubernetes-patch-strategy": strategies.join(",") }),
  };
}
