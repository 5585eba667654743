import { cached } from "../cached.ts";
import type { ServedResource } from "../resources/served.ts";
import { discoveryDocuments } from "./discovery-documents.ts";
import { documentOf, type KindIndex, kindIndex } from "./document.ts";
import { pathPrefix } from "./operations.ts";
import type { SchemaObject } from "./schema-object.ts";
import { by } from "../../util/compare.ts";

/** A document that clients may request. */
export interface Plan {
  /** The described resources: the document is valid as long as these are the same objects. */
  readonly resources: readonly ServedResource[];
  readonly build: () => SchemaObject;
}

/** Returns all documents of OpenAPI 3.0 by path, such as `apis/apps/v1`. */
export function plansOf(listed: readonly ServedResource[]): ReadonlyMap<string, Plan> {
  let known: KindIndex | undefined;
  const index = () => (known ??= kindIndex(listed.map(({ kind }) => kind)));
  const plans = new Map<string, Plan>();
  for (const [path, build] of discoveryDocuments(listed)) {
    plans.set(path, { resources: [], build: () => build(index()) });
  }
  for (const [path, resources] of Map.groupBy(listed, ({ kind }) => pathPrefix(kind).slice(1))) {
    plans.set(path, { resources, build: () => documentOf(resources, index()) });
  }
  return new Map([...plans].sort(by(([path]) => path)));
}

/** The documents of a server's table, with established custom resources. */
export const plans = cached((table) =>
  plansOf([...table.all()].filter(({ custom }) => custom === undefined || custom.established)),
);
