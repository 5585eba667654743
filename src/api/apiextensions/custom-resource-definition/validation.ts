import {
  type ErrorOrPause,
  type FieldError,
  type FieldPath,
  invalid,
  pause,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { label1035Problems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateOneOf } from "../../../meta/validation/report.ts";
import { promote, type PromotedSpec } from "./promoted.ts";
import type { RuleChecker } from "../schema/cel.ts";
import { everySchema } from "../schema/traverse.ts";
import { type DefinitionOptions, isEstablished, optionsForUpdate, strict } from "./stored.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "./schema.ts";
import { validateApproval } from "./validation-approval.ts";
import { validateConversion } from "./validation-conversion.ts";
import { validateNames } from "./validation-names.ts";
import {
  validateColumn,
  validateSchema,
  validateSelectableFields,
  validateSubresources,
} from "./validation-version.ts";

/** Follows `pkg/apis/apiextensions/validation/validation.go` of apiextensions-apiserver. */

type Definition = CustomResourceDefinition;

const path = root.child("spec");

export function* validateNewDefinition(
  definition: Definition,
  checker?: RuleChecker,
): Generator<ErrorOrPause> {
  const { metadata, spec } = definition;
  if (metadata.name !== `${spec.names.plural}.${spec.group}`) {
    yield invalid(root.child("metadata", "name"), metadata.name, 'must be spec.names.plural+"."+spec.group');
  }
  yield* validateDefinition(definition, strict, checker);
  yield* validateApproval(definition, undefined);
  yield* validatePreserveUnknown(spec);
}

export function* validateDefinitionUpdate(
  definition: Definition,
  old: Definition,
  checker?: RuleChecker,
): Generator<ErrorOrPause> {
  const { spec } = definition;
  const options = optionsForUpdate(definition, old);
  yield pause;
  yield* validateDefinition(definition, options, checker);
  if (isEstablished(old)) {
    yield* validateImmutable(spec.scope, old.spec.scope, path.child("scope"));
    yield* validateImmutable(spec.names.kind, old.spec.names.kind, path.child("names", "kind"));
  }
  yield* validateImmutable(spec.group, old.spec.group, path.child("group"));
  yield* validateImmutable(spec.names.plural, old.spec.names.plural, path.child("names", "plural"));
  yield* validateApproval(definition, old);
  if (old.spec.preserveUnknownFields !== true) yield* validatePreserveUnknown(spec);
}

export function* validateDefinitionStatus({ status }: Definition): Generator<FieldError> {
  yield* validateNames(status.acceptedNames, root.child("status", "acceptedNames"));
}

function* validateDefinition(
  definition: Definition,
  options: DefinitionOptions,
  checker: RuleChecker | undefined,
): Generator<ErrorOrPause> {
  yield* validateSpec(definition.spec, options, checker);
  yield* validateDefinitionStatus(definition);
  yield* validateStoredVersions(definition);
}

function* validateSpec(
  spec: CustomResourceDefinitionSpec,
  given: DefinitionOptions,
  checker: RuleChecker | undefined,
): Generator<ErrorOrPause> {
  yield* validateGroup(spec.group, path.child("group"));
  yield* validateOneOf(spec.scope, ["Cluster", "Namespaced"], path.child("scope"));
  const options = { ...given, requireStructural: given.requireStructural || needsStructural(spec) };
  const preserves = spec.preserveUnknownFields === true;
  for (const [i, { schema, served }] of spec.versions.entries()) {
    const place = path.child("versions").index(i).child("schema", "openAPIV3Schema");
    if (schema?.openAPIV3Schema !== undefined) continue;
    if (options.requireSchema) yield requiredValue(place);
    else if (!preserves && served) yield requiredValue(place, "because otherwise all fields are pruned");
  }
  if (preserves && hasSchema(spec, ({ default: value }) => value !== undefined)) {
    const detail = "must be false in order to use defaults in the schema";
    yield invalid(path.child("preserveUnknownFields"), true, detail);
  }
  const promoted = promote(spec);
  yield* validateVersions(promoted, spec, options, checker);
  yield* validateShared(promoted, spec, options, checker);
  yield* validateStorage(spec);
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if ((spec.names[name] ?? "") === "") yield requiredValue(path.child("names", name));
  }
  yield* validateNames(spec.names, path.child("names"));
  if (spec.conversion === undefined) return;
  const place = path.child("conversion");
  if (spec.conversion.strategy !== "None" && preserves) {
    const detail = "must be None if spec.preserveUnknownFields is true";
    yield invalid(place.child("strategy"), spec.conversion.strategy, detail);
  }
  yield* validateConversion(spec.conversion, place, options);
}

function* validateGroup(group: string, place: FieldPath): Generator<FieldError> {
  const problems = subdomainProblems(group);
  if (group === "") yield requiredValue(place);
  else if (problems.length > 0) yield invalid(place, group, problems.join(","));
  else if (!group.includes(".")) yield invalid(place, group, "should be a domain with at least one dot");
}

type Predicate = Parameters<ReturnType<typeof everySchema>["some"]>[0];

function hasSchema({ versions }: CustomResourceDefinitionSpec, predicate: Predicate): boolean {
  return versions.some(
    ({ schema }) =>
      schema?.openAPIV3Schema !== undefined && everySchema(schema.openAPIV3Schema).some(predicate),
  );
}

/** Reports whether the definition prunes, or uses defaults or extensions that require a structural schema. */
function needsStructural(spec: CustomResourceDefinitionSpec): boolean {
  return (
    spec.preserveUnknownFields !== true ||
    hasSchema(
      spec,
      (schema) =>
        schema.default !== undefined ||
        Object.keys(schema).some(
          (name) => name.startsWith("x-kubernetes-") && name !== "x-kubernetes-map-type",
        ),
    )
  );
}

function* validateVersions(
  { versions }: PromotedSpec,
  spec: CustomResourceDefinitionSpec,
  options: DefinitionOptions,
  checker: RuleChecker | undefined,
): Generator<ErrorOrPause> {
  for (const [i, version] of versions.entries()) {
    const place = path.child("versions").index(i);
    const problems = label1035Problems(version.name);
    if (problems.length > 0) yield invalid(place.child("name"), version.name, problems.join(","));
    yield* validateWarning(version, place.child("deprecationWarning"));
    const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
    const isUnchanged = options.unchangedSchemas.has(version.name);
    const hasStatus = spec.versions[i]?.subresources?.status !== undefined;
    if (schema !== undefined) {
      yield* validateSchema(schema, place.child("schema"), { hasStatus, isUnchanged, options, checker });
    }
    if (subresources !== undefined) yield* validateSubresources(subresources, place.child("subresources"));
    for (const [j, column] of additionalPrinterColumns.entries()) {
      yield* validateColumn(column, place.child("additionalPrinterColumns").index(j));
    }
    if (selectableFields.length === 0) continue;
    const fields = place.child("selectableFields");
    // Upstream only looks for the schema in the version, even if all versions share the schema.
    const own = schema?.openAPIV3Schema;
    if (own === undefined) {
      const detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
      yield invalid(fields, "", detail);
    } else {
      const mayBeMany = options.manySelectableFields.has(version.name);
      yield* validateSelectableFields(selectableFields, own, fields, mayBeMany);
    }
  }
}

/** Validates the parts that all versions share. */
function* validateShared(
  { shared }: PromotedSpec,
  spec: CustomResourceDefinitionSpec,
  options: DefinitionOptions,
  checker: RuleChecker | undefined,
): Generator<ErrorOrPause> {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = shared;
  const first = spec.versions[0]?.name ?? "";
  const problems = label1035Problems(first);
  if (first !== "" && problems.length > 0) yield invalid(path.child("version"), first, problems.join(","));
  if (schema !== undefined) {
    const hasStatus = spec.versions.some(({ subresources }) => subresources?.status !== undefined);
    const isUnchanged = options.unchangedSchemas.has(first);
    yield* validateSchema(schema, path.child("validation"), { hasStatus, isUnchanged, options, checker });
  }
  if (subresources !== undefined) yield* validateSubresources(subresources, path.child("subresources"));
  for (const [i, column] of additionalPrinterColumns.entries()) {
    yield* validateColumn(column, path.child("additionalPrinterColumns").index(i));
  }
  if (selectableFields.length === 0) return;
  const fields = path.child("selectableFields");
  if (schema === undefined) {
    yield invalid(fields, "", "may only be set when validations.schema is included");
  } else if (schema.openAPIV3Schema !== undefined) {
    const mayBeMany = options.manySelectableFields.has(first);
    yield* validateSelectableFields(selectableFields, schema.openAPIV3Schema, fields, mayBeMany);
  }
}

function* validateWarning(version: CustomResourceDefinitionVersion, place: FieldPath): Generator<FieldError> {
  const { deprecated, deprecationWarning: text } = version;
  if (text === undefined) return;
  if (deprecated !== true) {
    yield invalid(place, text, "can only be set for deprecated versions");
    return;
  }
  if (Buffer.byteLength(text) > 256) yield invalid(place, text, "must be <= 256 characters long");
  if (text === "") yield invalid(place, text, "must not be an empty string");
  const at = text.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return;
  const index = Buffer.byteLength(text.slice(0, at));
  const detail = "must only contain printable UTF-8 characters; non-printable character found at index";
  yield invalid(place, text, `${detail} ${index}`);
}

function* validateStorage({ versions }: CustomResourceDefinitionSpec): Generator<FieldError> {
  const place = path.child("versions");
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    yield invalid(place, versions, "must contain unique version names");
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    yield invalid(place, versions, "must have exactly one version marked as storage version");
  }
}

/** Requires every stored version to be in the spec, so that stored objects stay readable. */
function* validateStoredVersions({ status, spec }: Definition): Generator<FieldError> {
  const { storedVersions: stored } = status;
  const place = root.child("status", "storedVersions");
  if (stored.length === 0) {
    yield invalid(place, null, "must have at least one stored version");
    return;
  }
  for (const { name, storage } of spec.versions) {
    if (storage && !stored.includes(name))
      yield invalid(place, stored, `must have the storage version ${name}`);
  }
  for (const [i, name] of stored.entries()) {
    if (spec.versions.some((version) => version.name === name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    yield invalid(place.index(i), name, detail);
  }
}

function* validatePreserveUnknown(spec: CustomResourceDefinitionSpec): Generator<FieldError> {
  if (spec.preserveUnknownFields !== true) return;
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  yield invalid(path.child("preserveUnknownFields"), true, detail);
}
