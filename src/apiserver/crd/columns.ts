import type { CustomResourceColumnDefinition } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { nameColumn } from "../../api/printing.ts";
import { JsonPathError } from "../../meta/json-path/error.ts";
import { type JsonPath, parseJsonPath } from "../../meta/json-path/json-path.ts";
import { goValue } from "../../meta/go-value.ts";
import { sortKeys, toJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Column } from "../../meta/strategy.ts";

type Definition = Pick<CustomResourceColumnDefinition, "name" | "type" | "jsonPath"> &
  Partial<CustomResourceColumnDefinition>;

const age: Definition = {
  name: "Age",
  type: "date",
  description: "How long ago the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

/**
 * Returns the columns of `kubectl get` for a custom resource (`customresource/tableconvertor`): Name first,
 * and by default Age.
 */
export function columnsOf(definitions: readonly Definition[] = []): readonly Column<KubeObject>[] {
  const columns: Column<KubeObject>[] = [nameColumn];
  for (const definition of definitions.length === 0 ? [age] : definitions) {
    const path = pathOf(definition);
    // As upstream: an invalid path ends the list, and the columns before it are shown.
    if (path === undefined) break;
    const { name, type, format, description, priority, jsonPath } = definition;
    columns.push({
      name,
      // Checked when the definition was written.
      type: type as Column<KubeObject>["type"],
      ...(format === undefined ? {} : { format }),
      description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      ...(priority === undefined ? {} : { priority }),
      cell: (object) => cellOf(path, type, object),
    });
  }
  return columns;
}

function pathOf({ jsonPath }: Definition): JsonPath | undefined {
  try {
    return parseJsonPath(jsonPath);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

type Cell = ReturnType<Column<KubeObject>["cell"]>;

function cellOf(path: JsonPath, type: string, object: KubeObject): Cell {
  const value = first(path, object);
  if (value === undefined || value === null) return type === "string" && value === null ? "<no value>" : null;
  switch (type) {
    case "string":
      return text(value);
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? value : null;
    default:
      return null;
  }
}

/** Returns undefined when nothing is found, or the path does not fit the object. */
function first(path: JsonPath, object: KubeObject): unknown {
  try {
    return path(object)[0];
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

/** Formats a value as Go prints it; objects and lists are JSON. */
export function text(value: unknown): string {
  return typeof value === "object" && value !== null ? toJson(sortKeys(value)) : goValue(value);
}
