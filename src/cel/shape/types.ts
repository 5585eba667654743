import type { SizeEstimator } from "../cost/knowledge.ts";
import type { TypeProvider } from "../environment.ts";
import type { ObjectShape, Shape } from "./shape.ts";
import { escapeName, unescapeName } from "./escaping.ts";

/** The object types of these shapes, with the escaped names of their fields. */
export function shapeTypes(...shapes: readonly Shape[]): TypeProvider {
  const objects = new Map<string, ObjectShape>();
  for (const shape of shapes) collect(shape, objects);
  return {
    findType: (name) => objects.get(name)?.type,
    findField: (name, field) => {
      const shape = objects.get(name);
      // A keyword may also be unescaped after a dot.
      return shape && (propertyOf(shape, field) ?? propertyOf(shape, `__${field}__`))?.type;
    },
  };
}

function collect(shape: Shape, objects: Map<string, ObjectShape>): void {
  if (shape.kind === "list") collect(shape.items, objects);
  if (shape.kind === "map") collect(shape.values, objects);
  if (shape.kind !== "object" || objects.get(shape.type.name) === shape) return;
  objects.set(shape.type.name, shape);
  for (const property of shape.properties.values()) collect(property, objects);
}

/** The property with this escaped name. */
function propertyOf({ properties }: ObjectShape, field: string): Shape | undefined {
  const property = unescapeName(field);
  return property !== undefined && escapeName(property) === field ? properties.get(property) : undefined;
}

/**
 * The sizes that the variables' shapes specify. As upstream, keys of maps have no size, and the size of a
 * field whose name is an unescaped keyword is unknown.
 */
export function shapeSizes(variables: Readonly<Record<string, Shape>>): SizeEstimator {
  return {
    sizeOf: ([variable = "", ...path]) => {
      let shape: Shape | undefined = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      for (const part of path) {
        if (part === "@keys" && shape?.kind === "map") return { min: 0, max: 0 };
        shape = shape && partOf(shape, part);
      }
      return shape && { min: 0, max: shape.maxSize };
    },
  };
}

function partOf(shape: Shape, part: string): Shape | undefined {
  if (shape.kind === "object") return propertyOf(shape, part);
  if (part !== "@items" && part !== "@values") return undefined;
  return shape.kind === "list" ? shape.items : shape.kind === "map" ? shape.values : undefined;
}
