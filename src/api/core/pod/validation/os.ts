import {
  type FieldError,
  type FieldPath,
  forbidden,
  notSupported,
  requiredValue,
} from "../../../../meta/field-error.ts";
import type { Container, EphemeralContainer } from "../container.ts";
import type { PodSpec } from "../spec.ts";

/** The containers of a Pod with their paths. Init containers are first. */
export function* containersOf(
  { initContainers = [], containers, ephemeralContainers = [] }: PodSpec,
  path: FieldPath,
): Generator<readonly [Container | EphemeralContainer, FieldPath]> {
  for (const [i, one] of initContainers.entries()) yield [one, path.child("initContainers").index(i)];
  for (const [i, one] of containers.entries()) yield [one, path.child("containers").index(i)];
  for (const [i, one] of ephemeralContainers.entries()) {
    yield [one, path.child("ephemeralContainers").index(i)];
  }
}

/** Fields in upstream's order. A field with two names is in the security context. */
const linuxOnly = [
  ["securityContext", "appArmorProfile"],
  ["securityContext", "seLinuxOptions"],
  ["hostUsers"],
  ["hostPID"],
  ["hostIPC"],
  ["securityContext", "seccompProfile"],
  ["securityContext", "fsGroup"],
  ["securityContext", "fsGroupChangePolicy"],
  ["securityContext", "sysctls"],
  ["shareProcessNamespace"],
  ["securityContext", "runAsUser"],
  ["securityContext", "runAsGroup"],
  ["securityContext", "supplementalGroups"],
  ["securityContext", "supplementalGroupsPolicy"],
  ["securityContext", "seLinuxChangePolicy"],
] as const;

const linuxOnlyInContainers = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** Forbids the fields of the other operating system, if the Pod specifies one. */
export function* validateOs(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  if (spec.os === undefined) return;
  const { name } = spec.os;
  if (name === "") yield requiredValue(path.child("os", "name"));
  else if (name === "linux") yield* validateLinux(spec, path);
  else if (name === "windows") yield* validateWindows(spec, path);
  else yield notSupported(path.child("os"), name, ["linux", "windows"]);
}

function* validateLinux(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const message = "windows options cannot be set for a linux pod";
  if (spec.securityContext?.windowsOptions !== undefined) {
    yield forbidden(path.child("securityContext", "windowsOptions"), message);
  }
  for (const [{ securityContext }, place] of containersOf(spec, path)) {
    if (securityContext?.windowsOptions !== undefined) {
      yield forbidden(place.child("securityContext", "windowsOptions"), message);
    }
  }
}

function* validateWindows(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const message = "cannot be set for a windows pod";
  for (const place of linuxOnly) {
    const [outer, inner] = place;
    const value = inner === undefined ? spec[outer] : spec.securityContext?.[inner];
    if (value !== undefined) yield forbidden(path.child(outer, inner ?? ""), message);
  }
  for (const [{ securityContext }, place] of containersOf(spec, path)) {
    for (const name of linuxOnlyInContainers) {
      if (securityContext?.[name] !== undefined)
        yield forbidden(place.child("securityContext", name), message);
    }
  }
}
