import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  tooLong,
} from "../../../../meta/field-error.ts";
import { idProblems } from "../../../../meta/validation/number.ts";
import { report, validateKnown } from "../../../../meta/validation/report.ts";
import type { PodSpec } from "../spec.ts";
import type { AppArmorProfile, PodSecurityContext, SeccompProfile, SecurityContext } from "../security.ts";
import { validateDescendingPath } from "../../validation/paths.ts";
import { validateWindowsOptions } from "./windows.ts";

const localhostOnly = (name: string) => `can only be set when ${name} type is Localhost`;

function* validateSeccomp(profile: SeccompProfile | undefined, path: FieldPath): Generator<FieldError> {
  if (profile === undefined) return;
  const type: string = profile.type;
  const place = path.child("localhostProfile");
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  if (type === "") yield requiredValue(path.child("type"), "type is required when seccompProfile is set");
  else if (!types.includes(type)) yield notSupported(path.child("type"), type, types);
  if (type !== "Localhost") {
    if (profile.localhostProfile !== undefined) yield invalid(place, profile, localhostOnly("seccomp"));
  } else if (profile.localhostProfile === undefined) {
    yield requiredValue(place, "must be set when seccomp type is Localhost");
  } else yield* validateDescendingPath(profile.localhostProfile, place);
}

function* validateAppArmor(profile: AppArmorProfile | undefined, path: FieldPath): Generator<FieldError> {
  if (profile === undefined) return;
  const type: string = profile.type;
  const local = profile.localhostProfile;
  const place = path.child("localhostProfile");
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  if (type === "") yield requiredValue(path.child("type"), "type is required when appArmorProfile is set");
  else if (!types.includes(type)) yield notSupported(path.child("type"), type, types);
  else if (type !== "Localhost") {
    if (local !== undefined) yield invalid(place, local, localhostOnly("AppArmor"));
  } else if (local === undefined || local === "") {
    yield requiredValue(place, "must be set when AppArmor type is Localhost");
  } else {
    if (local.trim() !== local) yield invalid(place, local, "must not be padded with whitespace");
    if (Buffer.byteLength(local) > 4095) yield tooLong(place, 4095);
  }
}

function* validateIds(
  { runAsUser, runAsGroup }: { readonly runAsUser?: number; readonly runAsGroup?: number },
  path: FieldPath,
): Generator<FieldError> {
  if (runAsUser !== undefined) yield* report(path.child("runAsUser"), runAsUser, idProblems(runAsUser));
  if (runAsGroup !== undefined) yield* report(path.child("runAsGroup"), runAsGroup, idProblems(runAsGroup));
}

/** `hostUsers` is true if the Pod uses the host's user namespace. */
export function* validateSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  path: FieldPath,
): Generator<FieldError> {
  if (context === undefined) return;
  const { procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  yield* validateIds(context, path);
  if (procMount !== undefined) {
    yield* validateKnown(procMount, ["Default", "Unmasked"], path.child("procMount"));
    if (hostUsers && procMount === "Unmasked") {
      yield invalid(path.child("procMount"), procMount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  yield* validateSeccomp(context.seccompProfile, path.child("seccompProfile"));
  if (allowPrivilegeEscalation === false) {
    const clash = "cannot set `allowPrivilegeEscalation` to false and";
    if (privileged === true) yield invalid(path, context, `${clash} \`privileged\` to true`);
    if (capabilities?.add?.includes("CAP_SYS_ADMIN") === true) {
      yield invalid(path, context, `${clash} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
  yield* validateWindowsOptions(context.windowsOptions, path.child("windowsOptions"));
  yield* validateAppArmor(context.appArmorProfile, path.child("appArmorProfile"));
}

export function* validatePodSecurityContext(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const { securityContext: context, hostPID, shareProcessNamespace } = spec;
  if (context === undefined) return;
  const { fsGroup, supplementalGroups = [], fsGroupChangePolicy } = context;
  if (fsGroup !== undefined) yield* report(path.child("fsGroup"), fsGroup, idProblems(fsGroup));
  yield* validateIds(context, path);
  for (const [i, group] of supplementalGroups.entries()) {
    yield* report(path.child("supplementalGroups").index(i), group, idProblems(group));
  }
  if (shareProcessNamespace === true && hostPID === true) {
    yield invalid(
      path.child("shareProcessNamespace"),
      true,
      "ShareProcessNamespace and HostPID cannot both be enabled",
    );
  }
  yield* validateSysctls(context, spec, path.child("sysctls"));
  const changes = ["Always", "OnRootMismatch"];
  yield* validateKnown(fsGroupChangePolicy, changes, path.child("fsGroupChangePolicy"));
  yield* validateSeccomp(context.seccompProfile, path.child("seccompProfile"));
  yield* validateWindowsOptions(context.windowsOptions, path.child("windowsOptions"));
  yield* validateAppArmor(context.appArmorProfile, path.child("appArmorProfile"));
  const { supplementalGroupsPolicy: groups, seLinuxChangePolicy: labels } = context;
  yield* validateKnown(groups, ["Merge", "Strict"], path.child("supplementalGroupsPolicy"));
  // Upstream only accepts `MountOption` with a feature gate that is off by default.
  yield* validateKnown(labels, ["Recursive"], path.child("seLinuxChangePolicy"));
}

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `^(${segment}[\\./])*${segment}$`;
const sysctl = new RegExp(sysctlPattern);

function* validateSysctls(
  { sysctls = [] }: PodSecurityContext,
  spec: PodSpec,
  path: FieldPath,
): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [i, { name }] of sysctls.entries()) {
    const place = path.index(i).child("name");
    if (name === "") yield requiredValue(place);
    else if (name.length > 253 || !sysctl.test(name)) {
      yield invalid(place, name, `must have at most 253 characters and match regex ${sysctlPattern}`);
    } else if (seen.has(name)) yield duplicate(place, name);
    const dotted = name.replaceAll("/", ".");
    if (spec.hostNetwork === true && dotted.startsWith("net.")) {
      yield invalid(place, name, "may not be specified when 'hostNetwork' is true");
    }
    if (spec.hostIPC === true && /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(dotted)) {
      yield invalid(place, name, "may not be specified when 'hostIPC' is true");
    }
    seen.add(name);
  }
}
