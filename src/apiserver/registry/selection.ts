import { anyFields, type FieldSelector, parseFieldSelector } from "../../meta/fields.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { parseSelector } from "../../meta/label-parser.ts";
import { everything, type Selector, SelectorError } from "../../meta/labels.ts";
import { errors } from "../../meta/status.ts";
import type { Interest } from "../watch/feed.ts";
import type { ServedResource } from "./served.ts";

/** Which objects of a resource a list or watch is about. */
export interface Selection {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly labels: Selector;
  readonly fields: FieldSelector;
  /** The one name that the field selector allows; empty for any. */
  readonly name: string;
}

export function parseSelection(
  resource: ServedResource,
  namespace: string,
  query: URLSearchParams,
): Selection {
  try {
    const labels = query.get("labelSelector");
    const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
    for (const { field } of fields.terms) {
      if (resource.selectable(field) === undefined)
        throw errors.badRequest(`field label not supported: ${field}`);
    }
    return {
      resource,
      namespace: namespace === "" ? (fields.exactValue("metadata.namespace") ?? "") : namespace,
      labels: labels === null || labels === "" ? everything : parseSelector(labels),
      fields: fields.empty ? anyFields : fields,
      name: fields.exactValue("metadata.name") ?? "",
    };
  } catch (error) {
    if (error instanceof SelectorError) throw errors.badRequest(error.message, error);
    throw error;
  }
}

/** Whether the objects need not be looked at to know that they are selected. */
export function selectsAll({ labels, fields }: Selection): boolean {
  return labels.empty && fields.empty;
}

export function selects({ resource, labels, fields }: Selection, object: KubeObject): boolean {
  return (
    labels.matches(object.metadata.labels) &&
    fields.matches((field) => resource.selectable(field)?.(object) ?? "")
  );
}

/** Where a watch is filed, so that only changes which may concern it reach it. */
export function interestOf({ resource, namespace, name, fields }: Selection): Interest {
  const { watchIndex } = resource.strategy;
  const indexed =
    watchIndex === undefined || namespace !== "" || name !== "" ? undefined : fields.exactValue(watchIndex);
  return { namespace, name, indexed };
}
