import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../../meta/label-syntax.ts";
import { maskTrailingDash, subdomainProblems } from "../../../../meta/validation/dns.ts";
import { report, validateDnsLabel } from "../../../../meta/validation/report.ts";
import { configKeyProblems, envNameProblems } from "../../../../meta/validation/text.ts";
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "../env.ts";
import { validatePathNoBacksteps } from "../../validation/paths.ts";

export function* validateEnv(variables: readonly EnvVar[], path: FieldPath): Generator<FieldError> {
  for (const [i, { name, value = "", valueFrom }] of variables.entries()) {
    const place = path.index(i);
    if (name === "") yield requiredValue(place.child("name"));
    else yield* report(place.child("name"), name, envNameProblems(name));
    if (valueFrom !== undefined) yield* validateEnvSource(valueFrom, value, place.child("valueFrom"));
  }
}

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
] as const;

function* validateEnvSource(source: EnvVarSource, value: string, path: FieldPath): Generator<FieldError> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) yield* validateFieldRef(fieldRef, envFields, path.child("fieldRef"));
  if (resourceFieldRef !== undefined) {
    yield* validateResourceFieldRef(resourceFieldRef, path.child("resourceFieldRef"));
  }
  if (configMapKeyRef !== undefined) yield* validateKeyRef(configMapKeyRef, path.child("configMapKeyRef"));
  if (secretKeyRef !== undefined) yield* validateKeyRef(secretKeyRef, path.child("secretKeyRef"));
  if (fileKeyRef !== undefined) yield* validateFileKeyRef(fileKeyRef, path.child("fileKeyRef"));
  const set = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (one) => one !== undefined,
  );
  if (set.length === 0) {
    yield invalid(
      path,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value !== "") yield invalid(path, "", "may not be specified when `value` is not empty");
  else if (set.length > 1) yield invalid(path, "", "may not have more than one field specified at a time");
}

function* validateKeyRef(
  { name = "", key }: { readonly name?: string; readonly key: string },
  path: FieldPath,
): Generator<FieldError> {
  yield* report(path.child("name"), name, subdomainProblems(name));
  if (key === "") yield requiredValue(path.child("key"));
  else yield* report(path.child("key"), key, configKeyProblems(key));
}

function* validateFileKeyRef(
  { key, volumeName, path: file }: FileKeySelector,
  path: FieldPath,
): Generator<FieldError> {
  if (key === "") yield requiredValue(path.child("key"));
  else yield* report(path.child("key"), key, envNameProblems(key));
  if (volumeName === "") yield requiredValue(path.child("volumeName"));
  else yield* validateDnsLabel(volumeName, path.child("volumeName"));
  if (file === "") yield requiredValue(path.child("path"));
  else yield* validatePathNoBacksteps(file, path.child("path"));
}

/** The fields that exist. Some of them are not allowed everywhere. */
const knownFields: readonly string[] = [
  ...envFields,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  "spec.hostNetwork",
];

/** Splits `metadata.labels['app']` at the first bracket (upstream `fieldpath.SplitMaybeSubscriptedPath`). */
function splitSubscript(fieldPath: string): readonly [field: string, subscript?: string] {
  const open = fieldPath.indexOf("['");
  if (open <= 0 || !fieldPath.endsWith("']") || open + 2 > fieldPath.length - 2) return [fieldPath];
  return [fieldPath.slice(0, open), fieldPath.slice(open + 2, -2)];
}

export function* validateFieldRef(
  { apiVersion = "", fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("fieldPath");
  const [field, subscript] = splitSubscript(fieldPath);
  if (apiVersion === "") yield requiredValue(path.child("apiVersion"));
  else if (fieldPath === "") yield requiredValue(place);
  else if (apiVersion !== "v1") {
    yield invalid(place, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`);
  } else if (!knownFields.includes(field)) {
    yield invalid(place, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`);
  } else if (subscript === undefined) {
    if (!allowed.includes(field)) yield notSupported(place, field, allowed);
  } else if (field === "metadata.annotations") {
    yield* report(path, subscript.toLowerCase(), labelKeyProblems(subscript.toLowerCase()));
  } else if (field === "metadata.labels") yield* report(path, subscript, labelKeyProblems(subscript));
  else yield invalid(path, field, "does not support subscript");
}

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
] as const;

const byteUnits = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const isHugePageField = (resource: string) => /^(requests|limits)\.hugepages-/.test(resource);

/** `named` requires the container's name, as outside of containers. */
export function* validateResourceFieldRef(
  { containerName, resource, divisor }: ResourceFieldSelector,
  path: FieldPath,
  named = false,
): Generator<FieldError> {
  if (named && containerName === undefined) yield requiredValue(path.child("containerName"));
  else if (resource === "") yield requiredValue(path.child("resource"));
  else if (!resourceFields.some((one) => one === resource) && !isHugePageField(resource)) {
    yield notSupported(path.child("resource"), resource, resourceFields);
  }
  if (divisor === "0") return;
  const kind = unitKind(resource);
  if (kind === "cpu" && divisor !== "1" && divisor !== "1m") {
    yield invalid(
      path.child("divisor"),
      resource,
      "only divisor's values 1m and 1 are supported with the cpu resource",
    );
  } else if (kind !== undefined && kind !== "cpu" && !byteUnits.includes(divisor)) {
    yield invalid(
      path.child("divisor"),
      resource,
      `only divisor's values ${byteUnits.join(", ")} are supported with the ${kind} resource`,
    );
  }
}

function unitKind(resource: string): string | undefined {
  if (isHugePageField(resource)) return "hugepages";
  const name = resource.slice(resource.indexOf(".") + 1);
  if (name === "ephemeral-storage") return "local ephemeral storage";
  return name === "cpu" || name === "memory" ? name : undefined;
}

export function* validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath): Generator<FieldError> {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const place = path.index(i);
    if (prefix !== undefined) yield* report(place.child("prefix"), prefix, envNameProblems(prefix));
    if (configMapRef !== undefined) yield* validateName(configMapRef.name, place.child("configMapRef"));
    if (secretRef !== undefined) yield* validateName(secretRef.name, place.child("secretRef"));
    if (configMapRef === undefined && secretRef === undefined) {
      yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      yield invalid(path, "", "may not have more than one field specified at a time");
    }
  }
}

function* validateName(name: string | undefined, path: FieldPath): Generator<FieldError> {
  if (name === undefined) yield requiredValue(path.child("name"));
  else yield* report(path.child("name"), name, subdomainProblems(maskTrailingDash(name)));
}
