import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  requiredValue,
  tooLong,
} from "../../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../../meta/label-syntax.ts";
import { subdomainProblems } from "../../../../meta/validation/dns.ts";
import { validateIp } from "../../../../meta/validation/ip.ts";
import { validateLabels } from "../../../../meta/validation/labels.ts";
import { rangeProblems } from "../../../../meta/validation/number.ts";
import {
  report,
  validateDnsLabel,
  validateOneOf,
  validateSubdomain,
} from "../../../../meta/validation/report.ts";
import type { HostAlias, PodResourceClaim, PodSchedulingGate, PodSpec } from "../spec.ts";
import { validateAffinity } from "./affinity.ts";
import {
  type PodContext,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./container.ts";
import { validateDnsConfig } from "./dns.ts";
import { containersOf, validateOs } from "./os.ts";
import { validatePodLevelResources } from "./resources.ts";
import { validateContainerResources } from "../../validation/resources.ts";
import { validateTolerations, validateTopologySpread } from "./scheduling.ts";
import { validatePodSecurityContext } from "./security.ts";
import { checkVolumes } from "../../volume/validation/volume.ts";
import { validateHostProcesses } from "./windows.ts";

const maxInt32 = 2 ** 31 - 1;

/** `podName` is undefined for a template. */
export function* validatePodSpec(
  spec: PodSpec,
  podName: string | undefined,
  path: FieldPath,
): Generator<FieldError> {
  const { terminationGracePeriodSeconds: gracePeriod, resourceClaims = [] } = spec;
  if (gracePeriod === undefined) yield requiredValue(path.child("terminationGracePeriodSeconds"));
  const volumes = checkVolumes(spec.volumes ?? [], podName, path.child("volumes"));
  yield* volumes.issues;
  yield* validateClaims(resourceClaims, path.child("resourceClaims"));
  const context: PodContext = {
    volumes: volumes.byName,
    claims: new Set(resourceClaims.map(({ name }) => name)),
    gracePeriod,
    restartPolicy: spec.restartPolicy,
    hostUsers: spec.hostUsers !== false,
  };
  yield* validateAllContainers(spec, context, path);
  yield* validatePodLevelResources(spec, path);
  yield* validateHostPorts(spec, podName !== undefined, path);
  const policies = ["Always", "OnFailure", "Never"];
  yield* validateOneOf(spec.restartPolicy, policies, path.child("restartPolicy"));
  const dns = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
  yield* validateOneOf(spec.dnsPolicy, dns, path.child("dnsPolicy"));
  yield* validateLabels(spec.nodeSelector, path.child("nodeSelector"));
  yield* validatePodSecurityContext(spec, path.child("securityContext"));
  if (spec.affinity !== undefined) yield* validateAffinity(spec.affinity, path.child("affinity"));
  yield* validateDnsConfig(spec.dnsConfig, spec.dnsPolicy, path.child("dnsConfig"));
  for (const [i, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    const place = path.child("readinessGates").index(i).child("conditionType");
    yield* report(place, conditionType, labelKeyProblems(conditionType));
  }
  yield* validateSchedulingGates(spec.schedulingGates ?? [], path.child("schedulingGates"));
  yield* validateTopologySpread(
    spec.topologySpreadConstraints ?? [],
    path.child("topologySpreadConstraints"),
  );
  yield* validateHostProcesses(spec, path);
  yield* validateHostUsers(spec, path);
  yield* validateHostnameOverride(spec, path.child("hostnameOverride"));
  yield* validateNames(spec, path);
  yield* validateTolerations(spec.tolerations ?? [], path.child("tolerations"));
  yield* validateHostAliases(spec.hostAliases ?? [], path.child("hostAliases"));
  yield* validateRest(spec, path);
}

function* validateAllContainers(spec: PodSpec, context: PodContext, path: FieldPath): Generator<FieldError> {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  yield* validateContainers(containers, context, path.child("containers"));
  yield* validateInitContainers(initContainers, containers, context, path.child("initContainers"));
  if (ephemeralContainers.length === 0) return;
  yield* validateEphemeralContainers(
    ephemeralContainers,
    [...containers, ...initContainers],
    context,
    path.child("ephemeralContainers"),
  );
}

function* validateClaims(claims: readonly PodResourceClaim[], path: FieldPath): Generator<FieldError> {
  const names = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    const place = path.index(i);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === "") yield requiredValue(place.child("name"));
    else if (names.has(name)) yield duplicate(place.child("name"), name);
    else yield* validateDnsLabel(name, place.child("name"));
    names.add(name);
    const sources = { resourceClaimName, resourceClaimTemplateName };
    const set = Object.entries(sources).filter(([, source]) => source !== undefined);
    if (set.length === 2) {
      yield invalid(
        place,
        claim,
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
      );
    } else if (set.length === 0) {
      yield invalid(place, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    for (const [field, source = ""] of set) {
      yield* report(place.child(field), source, subdomainProblems(source));
    }
  }
}

/** Requires that container port and host port are equal in the host network. */
function* validateHostPorts(spec: PodSpec, isPod: boolean, path: FieldPath): Generator<FieldError> {
  if (spec.hostNetwork !== true) return;
  for (const [i, { ports = [] }] of spec.containers.entries()) {
    for (const [j, { hostPort = 0, containerPort }] of ports.entries()) {
      if ((isPod || hostPort !== 0) && hostPort !== containerPort) {
        yield invalid(
          path.child("containers").index(i).child("ports").index(j).child("hostPort"),
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        );
      }
    }
  }
}

function* validateSchedulingGates(
  gates: readonly PodSchedulingGate[],
  path: FieldPath,
): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [i, { name }] of gates.entries()) {
    yield* report(path.index(i), name, labelKeyProblems(name));
    if (seen.has(name)) yield duplicate(path.index(i), name);
    seen.add(name);
  }
}

/** Forbids the host's other namespaces for a Pod with its own user namespace. */
function* validateHostUsers(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  if (spec.hostUsers !== false) return;
  const message = "when `hostUsers` is false";
  if (spec.hostNetwork === true) yield forbidden(path.child("hostNetwork"), message);
  if (spec.hostPID === true) yield forbidden(path.child("HostPID"), message);
  if (spec.hostIPC === true) yield forbidden(path.child("HostIPC"), message);
  for (const [container, place] of containersOf(spec, path)) {
    if (container.volumeDevices !== undefined) yield forbidden(place.child("volumeDevices"), message);
  }
}

function* validateHostnameOverride(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  if (spec.setHostnameAsFQDN === true) {
    yield forbidden(path, "may not be specified when setHostnameAsFQDN is true");
  }
  if (spec.hostNetwork === true) yield forbidden(path, "may not be specified when hostNetwork is true");
  if (name.length > 64) yield tooLong(path, 64);
  yield* validateSubdomain(name, path);
}

function* validateNames(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  for (const name of ["serviceAccountName", "nodeName"] as const) {
    const value = spec[name];
    if (value !== undefined) yield* validateSubdomain(value, path.child(name));
  }
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline !== undefined) {
    yield* report(path.child("activeDeadlineSeconds"), deadline, rangeProblems(deadline, 1, maxInt32));
  }
  for (const name of ["hostname", "subdomain"] as const) {
    const value = spec[name];
    if (value !== undefined) yield* validateDnsLabel(value, path.child(name));
  }
}

function* validateHostAliases(aliases: readonly HostAlias[], path: FieldPath): Generator<FieldError> {
  for (const [i, { ip, hostnames = [] }] of aliases.entries()) {
    const place = path.index(i);
    yield* validateIp(ip, place.child("ip"));
    for (const [j, name] of hostnames.entries()) {
      yield* validateSubdomain(name, place.child("hostnames").index(j));
    }
  }
}

function* validateRest(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  for (const name of ["priorityClassName", "runtimeClassName"] as const) {
    const value = spec[name];
    if (value !== undefined) yield* validateSubdomain(value, path.child(name));
  }
  if (spec.preemptionPolicy !== undefined) {
    const allowed = ["PreemptLowerPriority", "Never"];
    yield* validateOneOf(spec.preemptionPolicy, allowed, path.child("preemptionPolicy"));
  }
  if (spec.overhead !== undefined) {
    yield* validateContainerResources({ limits: spec.overhead }, new Set(), path.child("overhead"));
  }
  yield* validateOs(spec, path);
  yield* validateFileKeys(spec, path);
}

/** Requires that env files are in an emptyDir of the Pod. */
function* validateFileKeys(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const volumes = new Map(spec.volumes?.toReversed().map((volume) => [volume.name, volume]));
  for (const [{ env = [] }, place] of containersOf(spec, path)) {
    for (const [i, { valueFrom }] of env.entries()) {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) continue;
      const volumeName = place.child("env").index(i).child("valueFrom", "fileKeyRef", "volumeName");
      const volume = volumes.get(name);
      if (volume === undefined) yield notFound(volumeName, name);
      else if (volume.emptyDir === undefined) {
        yield invalid(volumeName, name, "referenced volume must be of type emptyDir");
      }
    }
  }
}
