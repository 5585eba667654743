import {
  type ListType,
  type MapType,
  type MessageType,
  resolve,
  type ScalarType,
} from "../../../src/meta/schema.ts";

/** A field's name, an item of a list, or a key of a map. */
export type Step = string | { readonly of: "list" | "map" };

/** The place of a value that a client may make as large as it likes. */
export interface Place {
  readonly steps: readonly Step[];
  readonly type: ListType | MapType | ScalarType;
}

/** Returns a place's path, such as `spec.containers[].ports`. */
export function nameOf({ steps }: Place): string {
  return steps
    .map((step) => (typeof step === "string" ? `.${step}` : step.of === "list" ? "[]" : "{}"))
    .join("")
    .slice(1);
}

/** Scalar types of any length. */
const long = new Set([
  "string",
  "bytes",
  "quantity",
  "intOrString",
  "time",
  "duration",
  "json",
  "rawExtension",
]);

/**
 * Returns every list, map and long string in a schema. `seen` holds the fields found before, so that a Pod's fields are
 * not repeated in a Deployment.
 */
export function placesOf(schema: MessageType, seen: Set<string>): readonly Place[] {
  const places: Place[] = [];
  const visit = (message: MessageType, steps: readonly Step[]): void => {
    for (const [name, { type }] of message.fields) {
      const id = `${message.name}.${name}`;
      if (seen.has(id)) continue;
      seen.add(id);
      descend(resolve(type), [...steps, name]);
    }
  };
  const descend = (type: ReturnType<typeof resolve>, steps: readonly Step[]): void => {
    switch (type.kind) {
      case "scalar":
        if (long.has(type.name)) places.push({ steps, type });
        return;
      case "message":
        visit(type, steps);
        return;
      case "list":
      case "map":
        places.push({ steps, type });
        descend(resolve(type.of), [...steps, { of: type.kind }]);
    }
  };
  visit(schema, []);
  return places;
}
