import { anyFields, FieldSelector, type FieldTerm, parseFieldSelector } from "../../meta/fields.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { parseSelector } from "../../meta/label-parser.ts";
import { everything, type Selector, SelectorError } from "../../meta/labels.ts";
import { errors } from "../../meta/status.ts";
import type { Interest } from "../watch/feed.ts";
import type { ServedResource } from "../resources/served.ts";

/** The objects of a resource that a list or watch selects. */
export interface Selection {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly labels: Selector;
  readonly fields: FieldSelector;
  /** The only name that the field selector allows; empty for any. */
  readonly name: string;
}

/** `name` is the object's name for a path of one object. @throws StatusError 400 */
export function parseSelection(
  resource: ServedResource,
  namespace: string,
  query: URLSearchParams,
  name = "",
): Selection {
  try {
    const labels = query.get("labelSelector");
    const asked = parseFieldSelector(query.get("fieldSelector") ?? "");
    const named: FieldTerm = { field: "metadata.name", operator: "=", value: name };
    const fields = name === "" ? asked : new FieldSelector([named, ...asked.terms]);
    for (const { field } of fields.terms) {
      if (resource.selectable(field) === undefined) throw notSelectable(resource, field);
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

/**
 * Returns the error for an unknown field; its words differ for kinds with selectable fields (apimachinery
 * `DefaultMetaV1FieldSelectorConversion`).
 */
function notSelectable({ strategy, custom }: ServedResource, field: string) {
  return errors.badRequest(
    custom === undefined && strategy.selectableFields === undefined
      ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

/** Reports whether all objects are selected without examining them. */
export function selectsAll({ labels, fields }: Selection): boolean {
  return labels.empty && fields.empty;
}

export function selects({ resource, labels, fields }: Selection, object: KubeObject): boolean {
  return (
    labels.matches(object.metadata.labels) &&
    fields.matches((field) => resource.selectable(field)?.(object) ?? "")
  );
}

/** Returns the index entry of a watch, so that only relevant changes reach the watch. */
export function interestOf({ resource, namespace, name, fields }: Selection): Interest {
  const { watchIndex } = resource.strategy;
  const indexed =
    watchIndex === undefined || namespace !== "" || name !== "" ? undefined : fields.exactValue(watchIndex);
  return { namespace, name, indexed };
}
