import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  SelectableField,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { defineKind, type Kind } from "../../meta/kind.ts";
import { readObject } from "./object-form.ts";
import { rootMessage } from "./schema-types.ts";

/** Returns one version of a custom resource as a kind, under the definition's accepted names. */
export function kindOf(
  { spec: { group, scope }, status: { acceptedNames } }: CustomResourceDefinition,
  { name: version, schema, subresources = {}, selectableFields = [] }: CustomResourceDefinitionVersion,
): Kind {
  const {
    plural,
    kind,
    singular,
    shortNames = [],
    categories = [],
    listKind = `${kind}List`,
  } = acceptedNames;
  const openApi = schema?.openAPIV3Schema;
  const name = [...group.split(".").reverse(), version, kind].join(".");
  const message = rootMessage(name, openApi, {
    decode: (value, report) => readObject(value, openApi, report),
    openApi: openApi === undefined ? undefined : { ...openApi, ...selectable(selectableFields) },
  });
  const { scale } = subresources;
  const defined = defineKind(message, {
    group,
    version,
    kind,
    plural,
    singular: singular ?? kind.toLowerCase(),
    namespaced: scope === "Namespaced",
    shortNames,
    categories,
    status: subresources.status !== undefined,
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specReplicas: withoutDot(scale.specReplicasPath),
            statusReplicas: withoutDot(scale.statusReplicasPath),
            ...(scale.labelSelectorPath === undefined
              ? {}
              : { selector: withoutDot(scale.labelSelectorPath) }),
          },
        }),
  });
  return { ...defined, listKind };
}

function selectable(fields: readonly SelectableField[]): object {
  if (fields.length === 0) return {};
  const paths = fields.map(({ jsonPath }) => ({ fieldPath: withoutDot(jsonPath) }));
  return { "x-kubernetes-selectable-fields": paths };
}

/** Removes the leading dot: paths start at the object. */
export function withoutDot(path: string): string {
  return path.replace(/^\./, "");
}
