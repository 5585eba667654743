import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { plainColumns } from "../../printing.ts";
import { everySchema } from "../schema/traverse.ts";
import { isKnownFormat } from "../values/formats.ts";
import { defaultDefinition } from "./defaults.ts";
import type { CustomResourceDefinition } from "./schema.ts";
import { validateDefinitionStatus, validateDefinitionUpdate, validateNewDefinition } from "./validation.ts";

/** The finalizer that keeps a definition until its custom resources are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export const definitionStrategy: Strategy<CustomResourceDefinition> = {
  setDefaults: defaultDefinition,
  prepareForCreate: noteStorageVersion,
  prepareForUpdate(draft, _, { subresource }) {
    if (subresource === "") noteStorageVersion(draft);
  },
  validateCreate: (definition) => validateNewDefinition(definition),
  validateUpdate: (definition, old) => validateDefinitionUpdate(definition, old),
  parts: { status: { validate: validateDefinitionStatus } },
  warnings: formatWarnings,
  generation: true,
  allowUnconditionalUpdate: false,
  // The first delete only sets the deletion timestamp. The finalizer removes the custom resources before the
  // definition.
  blocksDeletion: ({ metadata }) => metadata.deletionTimestamp === undefined,
  prepareForDelete: markForDeletion,
  columns: plainColumns,
};

function markForDeletion(draft: Draft<CustomResourceDefinition>): void {
  const { metadata, status } = draft;
  const { finalizers = [], deletionTimestamp } = metadata;
  if (finalizers.includes(cleanupFinalizer)) return;
  metadata.finalizers = [...finalizers, cleanupFinalizer];
  // Upstream sets no grace period and does not change the generation.
  delete metadata.deletionGracePeriodSeconds;
  metadata.generation = (metadata.generation ?? 1) - 1;
  const terminating = {
    type: "Terminating",
    status: "True",
    ...(deletionTimestamp === undefined ? {} : { lastTransitionTime: deletionTimestamp }),
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  const others = status.conditions.filter(({ type }) => type !== terminating.type);
  draft.status = { ...status, conditions: [...others, terminating] };
}

/** Adds the storage version to `status.storedVersions`. */
function noteStorageVersion({ spec, status }: Draft<CustomResourceDefinition>): void {
  const storage = spec.versions.find(({ storage }) => storage);
  if (storage !== undefined && !status.storedVersions.includes(storage.name)) {
    status.storedVersions = [...status.storedVersions, storage.name];
  }
}

/** Warnings about unrecognized formats that the stored definition does not have. */
function formatWarnings(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): readonly string[] {
  const known = new Set(old === undefined ? [] : unknownFormats(old));
  return unknownFormats(definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats({ spec }: CustomResourceDefinition): readonly string[] {
  const schemas = spec.versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  return schemas
    .flatMap((schema) => [...everySchema(schema)])
    .flatMap(({ format, type = "" }) =>
      format !== undefined && !isKnownFormat(format, type) ? [format] : [],
    );
}
