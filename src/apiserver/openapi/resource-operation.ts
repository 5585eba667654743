import type { ServedResource } from "../resources/served.ts";
import { namingOf, operation, type OperationInfo } from "./operations.ts";
import { objectsIn, type SchemaObject } from "./schema-object.ts";

/** Operations by HTTP method. */
export type Operations = Record<string, SchemaObject>;

/** A path, its operations, and the parameters that they share. */
export type Path = readonly [path: string, Operations, readonly SchemaObject[]];

/** An operation on a resource: `verb` and `after` precede and follow the kind in its ID. */
export interface Short extends Omit<OperationInfo, "id" | "tag" | "of"> {
  readonly verb: string;
  readonly after?: string;
}

/** Moves the parameters that all operations share to the path, as upstream. */
export function withShared(operations: Operations, shared: readonly SchemaObject[]): SchemaObject {
  const [first = [], ...others] = Object.values(operations).map(parametersOf);
  const common = first.filter((one) => others.every((parameters) => parameters.includes(one)));
  const own = Object.entries(operations).map(([method, { parameters: _, ...operation }]) => {
    const rest = parametersOf(operations[method]).filter((one) => !common.includes(one));
    return [method, { ...operation, ...(rest.length === 0 ? {} : { parameters: rest }) }];
  });
  const all = [...shared, ...common];
  return { ...Object.fromEntries(own), ...(all.length === 0 ? {} : { parameters: all }) };
}

function parametersOf(operation: SchemaObject | undefined): readonly SchemaObject[] {
  return objectsIn(operation?.["parameters"]);
}

/** Makes operations of one resource; `scope` precedes the kind in their IDs. */
export function operationsOf({ kind }: ServedResource) {
  const { id, tag } = namingOf(kind.apiVersion);
  return ({ verb, after = "", ...info }: Short, scope = kind.namespaced ? "Namespaced" : ""): SchemaObject =>
    operation({ ...info, id: `${verb}${id}${scope}${kind.kind}${after}`, tag, of: kind });
}
