import { deepEqual } from "../../../util/deep-equal.ts";
import { FieldPath } from "../../../meta/field-error.ts";
import { validateCaBundle } from "../../../meta/validation/webhook.ts";
import { hasUnprunedDefaults } from "../schema/defaults.ts";
import { validateMapKeys, validateSetItems } from "../schema/merge-types.ts";
import { schemaTypes } from "../schema/open-api.ts";
import { isStructural } from "../schema/structural.ts";
import { everySchema } from "../schema/traverse.ts";
import type { CustomResourceDefinition } from "./schema.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { isConditionTrue } from "../../../meta/conditions.ts";

/** Requirements that depend on the stored definition. A new definition gets the strict ones. */
export interface DefinitionOptions {
  readonly requireKnownReviewVersion: boolean;
  readonly requireSchema: boolean;
  readonly requireValidTypes: boolean;
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
  readonly requireCaBundle: boolean;
  /** Versions with the stored schema. The cost limits of rules do not apply to them. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /**
   * Versions that may keep more selectable fields than allowed. The empty name stands for all versions
   * together.
   */
  readonly manySelectableFields: ReadonlySet<string>;
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessages: ReadonlySet<string>;
}

export const reviewVersions = ["v1", "v1beta1"];
export const maxSelectableFields = 8;

const nothing: ReadonlySet<string> = new Set();
const nowhere = new FieldPath("");

export const strict: DefinitionOptions = {
  requireKnownReviewVersion: true,
  requireSchema: true,
  requireValidTypes: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  requireAtomicSets: true,
  requireMapKeys: true,
  // The conversion webhook is called only after the resource is established.
  requireCaBundle: false,
  unchangedSchemas: nothing,
  manySelectableFields: nothing,
  storedRules: nothing,
  storedMessages: nothing,
};

const schemasOf = ({ spec }: CustomResourceDefinition): readonly JSONSchemaProps[] =>
  spec.versions.map(({ schema }) => schema?.openAPIV3Schema).filter((schema) => schema !== undefined);

export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return isConditionTrue(status.conditions, "Established");
}

/** Permits an update to keep values that the stored definition already has and that newer rules forbid. */
export function optionsForUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): DefinitionOptions {
  const schemas = schemasOf(old);
  const all = schemas.flatMap((schema) => [...everySchema(schema)]);
  const rules = all.flatMap((schema) => schema["x-kubernetes-validations"] ?? []);
  const known = old.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    requireKnownReviewVersion: known.length === 0 || known.some((one) => reviewVersions.includes(one)),
    requireSchema: schemas.length === old.spec.versions.length,
    requireValidTypes: all.every(({ type }) => type === undefined || schemaTypes.includes(type)),
    requireStructural: schemas.every(isStructural),
    requirePrunedDefaults: !schemas.some((schema) => isStructural(schema) && hasUnprunedDefaults(schema)),
    requireAtomicSets: all.every((schema) => [...validateSetItems(schema, nowhere)].length === 0),
    requireMapKeys: all.every((schema) => [...validateMapKeys(schema, nowhere)].length === 0),
    requireCaBundle: isEstablished(old) && !hasBadCaBundle(old),
    ...unchangedIn(definition, old),
    storedRules: new Set(rules.map(({ rule }) => rule)),
    storedMessages: new Set(rules.map(({ messageExpression = "" }) => messageExpression)),
  };
}

function hasBadCaBundle({ spec }: CustomResourceDefinition): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  return bundle !== undefined && [...validateCaBundle(bundle, nowhere)].length > 0;
}

function unchangedIn(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): Pick<DefinitionOptions, "unchangedSchemas" | "manySelectableFields"> {
  const same = (name: "schema" | "selectableFields") =>
    definition.spec.versions.filter((version) =>
      old.spec.versions.some((one) => one.name === version.name && deepEqual(one[name], version[name])),
    );
  const tooMany = same("selectableFields").filter(
    ({ selectableFields = [] }) => selectableFields.length > maxSelectableFields,
  );
  return {
    unchangedSchemas: new Set(same("schema").map(({ name }) => name)),
    manySelectableFields: new Set(tooMany.map(({ name }) => name)),
  };
}
