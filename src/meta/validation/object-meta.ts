import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
  tooLong,
} from "../field-error.ts";
import { labelKeyProblems } from "../label-syntax.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../v1.ts";
import { labelProblems, maskTrailingDash, subdomainProblems } from "./dns.ts";
import { validateImmutable } from "./immutable.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { validateNonNegative } from "./number.ts";

type NameRule = (name: string) => readonly string[];

const metadataPath = root.child("metadata");

/** Validates the metadata of an object whose name is already generated. */
export function* validateObjectMeta(
  metadata: ObjectMeta,
  { namespaced }: { readonly namespaced: boolean },
  nameProblems: NameRule = subdomainProblems,
  path: FieldPath = metadataPath,
): Generator<FieldError> {
  const { name, generateName, namespace } = metadata;
  if (generateName !== undefined) {
    for (const problem of nameProblems(maskTrailingDash(generateName))) {
      yield invalid(path.child("generateName"), generateName, problem);
    }
  }
  if (name === undefined) yield requiredValue(path.child("name"), "name or generateName is required");
  else for (const problem of nameProblems(name)) yield invalid(path.child("name"), name, problem);
  yield* validateNamespace(namespace, namespaced, path.child("namespace"));
  // Runs on every write, and most objects have only a few of these.
  const { generation, labels, annotations, ownerReferences, finalizers, managedFields } = metadata;
  if (generation !== undefined) yield* validateNonNegative(generation, path.child("generation"));
  if (labels !== undefined) yield* validateLabels(labels, path.child("labels"));
  if (annotations !== undefined) yield* validateAnnotations(annotations, path.child("annotations"));
  if (ownerReferences !== undefined)
    yield* validateOwnerReferences(ownerReferences, path.child("ownerReferences"));
  if (finalizers !== undefined) yield* validateFinalizers(finalizers, path.child("finalizers"));
  if (managedFields !== undefined) yield* validateManagedFields(managedFields, path.child("managedFields"));
}

function* validateNamespace(
  namespace: string | undefined,
  namespaced: boolean,
  path: FieldPath,
): Generator<FieldError> {
  if (namespaced) {
    if (namespace === undefined) yield requiredValue(path);
    else for (const problem of labelProblems(namespace)) yield invalid(path, namespace, problem);
  } else if (namespace !== undefined) yield forbidden(path, "not allowed on this type");
}

function* validateOwnerReferences(owners: readonly OwnerReference[], path: FieldPath): Generator<FieldError> {
  let controller: string | undefined;
  for (const owner of owners) {
    yield* validateOwnerReference(owner, path);
    if (owner.controller !== true) continue;
    const own = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      yield invalid(
        path,
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${own}`,
      );
    } else controller = own;
  }
}

function* validateOwnerReference(owner: OwnerReference, path: FieldPath): Generator<FieldError> {
  const version = owner.apiVersion.slice(owner.apiVersion.indexOf("/") + 1);
  if (version === "") yield invalid(path.child("apiVersion"), owner.apiVersion, "version must not be empty");
  for (const name of ["kind", "name", "uid"] as const) {
    if (owner[name] === "") yield invalid(path.child(name), "", "must not be empty");
  }
  if (owner.apiVersion === "v1" && owner.kind === "Event") {
    yield invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
  }
}

function* validateFinalizers(finalizers: readonly string[], path: FieldPath): Generator<FieldError> {
  for (const finalizer of finalizers) {
    for (const problem of labelKeyProblems(finalizer)) yield invalid(path, finalizer, problem);
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    yield invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

/** The names of nearly all managers. The rule below accepts more. */
const plainManager = /^[\x20-\x7e]{0,128}$/;

function* validateManagedFields(
  entries: readonly ManagedFieldsEntry[],
  path: FieldPath,
): Generator<FieldError> {
  for (const [i, entry] of entries.entries()) {
    const place = path.index(i);
    const operation: string = entry.operation ?? "";
    if (operation !== "Apply" && operation !== "Update") {
      yield invalid(place.child("operation"), operation, "must be `Apply` or `Update`");
    }
    if (entry.fieldsType !== undefined && entry.fieldsType !== "FieldsV1") {
      yield invalid(place.child("fieldsType"), entry.fieldsType, "must be `FieldsV1`");
    }
    if (!plainManager.test(entry.manager ?? ""))
      yield* validateFieldManager(entry.manager ?? "", place.child("manager"));
    if ((entry.subresource ?? "").length > 256) yield tooLong(place.child("subresource"), 256);
  }
}

export const maxManagerBytes = 128;

/** Characters that Go considers unprintable. The only printable white space is the space. */
export const unprintable = /[^\P{C}]|[^\P{Z} ]/gu;

/** Validates a field manager (apimachinery `ValidateFieldManager`). */
export function* validateFieldManager(manager: string, path: FieldPath): Generator<FieldError> {
  if (Buffer.byteLength(manager) > maxManagerBytes) yield tooLong(path, maxManagerBytes);
  for (const { 0: sign, index } of manager.matchAll(unprintable)) {
    const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const position = Buffer.byteLength(manager.slice(0, index));
    yield invalid(path, manager, `invalid character U+${code} (at position ${position})`);
  }
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Validates a change of metadata, in addition to `validateObjectMeta`. */
export function* validateObjectMetaUpdate(
  metadata: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath = metadataPath,
): Generator<FieldError> {
  if (old.deletionTimestamp !== undefined) {
    const before = new Set(old.finalizers);
    const added = (metadata.finalizers ?? []).filter((one) => !before.has(one)).sort();
    if (added.length > 0) {
      const list = added.map((one) => JSON.stringify(one)).join(", ");
      yield forbidden(
        path.child("finalizers"),
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
      );
    }
  }
  for (const name of immutableFields) yield* validateImmutable(metadata[name], old[name], path.child(name));
}
