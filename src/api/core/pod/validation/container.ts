import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  notSupported,
  requiredValue,
  tooMany,
} from "../../../../meta/field-error.ts";
import { portNameProblems, portProblems } from "../../../../meta/validation/number.ts";
import { report, validateDnsLabel, validateOneOf } from "../../../../meta/validation/report.ts";
import type { Container, ContainerPort, EphemeralContainer } from "../container.ts";
import type { ContainerResizePolicy } from "../../v1/resources.ts";
import type { Volume } from "../../volume/schema.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validateMounts } from "./mounts.ts";
import { validateHooksAndProbes } from "./probe.ts";
import { validateContainerResources } from "../../validation/resources.ts";
import { validateSecurityContext } from "./security.ts";

/** The properties of the Pod that its containers depend on. */
export interface PodContext {
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claims: ReadonlySet<string>;
  readonly gracePeriod: number | undefined;
  readonly restartPolicy: string | undefined;
  readonly hostUsers: boolean;
}

export function* validateContainers(
  containers: readonly Container[],
  context: PodContext,
  path: FieldPath,
): Generator<FieldError> {
  if (containers.length === 0) {
    yield requiredValue(path);
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const place = path.index(i);
    yield* validateCommon(container, context, place);
    if (names.has(container.name)) yield duplicate(place.child("name"), container.name);
    names.add(container.name);
    yield* validateHooksAndProbes(container, context.gracePeriod, place);
    yield* validateRestartPolicy(container, place);
  }
  yield* validateHostPorts(containers, path);
}

export function* validateInitContainers(
  containers: readonly Container[],
  main: readonly Container[],
  context: PodContext,
  path: FieldPath,
): Generator<FieldError> {
  const names = new Set(main.map(({ name }) => name));
  for (const [i, container] of containers.entries()) {
    const place = path.index(i);
    yield* validateCommon(container, context, place);
    yield* validateRestartPolicy(container, place);
    if (names.has(container.name)) yield duplicate(place.child("name"), container.name);
    names.add(container.name);
    yield* validateHostPorts([container], path);
    if (container.restartPolicy === "Always") {
      yield* validateHooksAndProbes(container, context.gracePeriod, place);
    } else yield* validateOneShot(container, place);
  }
}

/** Forbids hooks and probes of a container that runs to completion. */
function* validateOneShot(container: Container, path: FieldPath): Generator<FieldError> {
  for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (container[name] !== undefined) {
      yield forbidden(path.child(name), "may not be set for init containers without restartPolicy=Always");
    }
  }
  for (const [i, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (restartPolicy === "RestartContainer") {
      yield invalid(
        path.child("resizePolicy").index(i).child("restartPolicy"),
        restartPolicy,
        "must not be set to 'RestartContainer' for non-sidecar initContainers",
      );
    }
  }
}

const ephemeralForbidden = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

export function* validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  others: readonly Container[],
  context: PodContext,
  path: FieldPath,
): Generator<FieldError> {
  const targets = new Set(others.map(({ name }) => name));
  const names = new Set(targets);
  const message = "cannot be set for an Ephemeral Container";
  for (const [i, container] of containers.entries()) {
    const place = path.index(i);
    yield* validateCommon(container, context, place);
    yield* validateImageSpacing(container.image, place);
    if (names.has(container.name)) yield duplicate(place.child("name"), container.name);
    names.add(container.name);
    const { targetContainerName: target } = container;
    if (target !== undefined && !targets.has(target)) {
      yield notFound(place.child("targetContainerName"), target);
    }
    for (const name of ephemeralForbidden) {
      const value = container[name];
      const isSet = name === "resources" ? Object.keys(value ?? {}).length > 0 : value !== undefined;
      if (isSet) yield forbidden(place.child(name), message);
    }
    for (const [j, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      const mount = place.child("volumeMounts").index(j);
      if (subPath !== undefined) yield forbidden(mount.child("subPath"), message);
      if (subPathExpr !== undefined) yield forbidden(mount.child("subPathExpr"), message);
    }
  }
}

export function* validateImageSpacing(image: string | undefined, path: FieldPath): Generator<FieldError> {
  if (image !== undefined && image.trim() !== image) {
    yield invalid(path.child("image"), image, "must not have leading or trailing whitespace");
  }
}

/** Validates the parts that all types of containers share. */
function* validateCommon(
  container: Container | EphemeralContainer,
  context: PodContext,
  path: FieldPath,
): Generator<FieldError> {
  const { name, image, terminationMessagePolicy, imagePullPolicy } = container;
  if (name === "") yield requiredValue(path.child("name"));
  else yield* validateDnsLabel(name, path.child("name"));
  if (image === undefined) yield requiredValue(path.child("image"));
  yield* validateOneOf(
    terminationMessagePolicy,
    ["File", "FallbackToLogsOnError"],
    path.child("terminationMessagePolicy"),
  );
  yield* validatePorts(container.ports ?? [], path.child("ports"));
  yield* validateEnv(container.env ?? [], path.child("env"));
  yield* validateEnvFrom(container.envFrom ?? [], path.child("envFrom"));
  yield* validateMounts(container, context.volumes, path);
  yield* validateOneOf(imagePullPolicy, ["Always", "IfNotPresent", "Never"], path.child("imagePullPolicy"));
  yield* validateContainerResources(container.resources, context.claims, path.child("resources"));
  yield* validateResizePolicy(
    container.resizePolicy ?? [],
    context.restartPolicy,
    path.child("resizePolicy"),
  );
  yield* validateSecurityContext(container.securityContext, context.hostUsers, path.child("securityContext"));
}

export const protocols = ["SCTP", "TCP", "UDP"] as const;

function* validatePorts(ports: readonly ContainerPort[], path: FieldPath): Generator<FieldError> {
  const names = new Set<string>();
  for (const [i, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const place = path.index(i);
    if (name !== undefined) {
      const problems = portNameProblems(name);
      yield* report(place.child("name"), name, problems);
      if (problems.length === 0 && names.has(name)) yield duplicate(place.child("name"), name);
      names.add(name);
    }
    if (containerPort === 0) yield requiredValue(place.child("containerPort"));
    else yield* report(place.child("containerPort"), containerPort, portProblems(containerPort));
    if (hostPort !== undefined) yield* report(place.child("hostPort"), hostPort, portProblems(hostPort));
    yield* validateOneOf(protocol, protocols, place.child("protocol"));
  }
}

function* validateHostPorts(containers: readonly Container[], path: FieldPath): Generator<FieldError> {
  const taken = new Set<string>();
  for (const [i, { ports = [] }] of containers.entries()) {
    for (const [j, { hostPort, hostIP = "", protocol = "" }] of ports.entries()) {
      if (hostPort === undefined) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) {
        yield duplicate(path.index(i).child("ports").index(j).child("hostPort"), key);
      }
      taken.add(key);
    }
  }
}

function* validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string | undefined,
  path: FieldPath,
): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy }] of policies.entries()) {
    if (seen.has(resourceName)) yield duplicate(path.index(i), resourceName);
    seen.add(resourceName);
    yield* validateOneOf(resourceName, ["cpu", "memory"], path);
    yield* validateOneOf(restartPolicy, ["NotRequired", "RestartContainer"], path);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      yield invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

/** Validates the container's own restart policy and its rules for exit codes. */
function* validateRestartPolicy(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("restartPolicy");
  const policies = ["Always", "Never", "OnFailure"];
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    yield requiredValue(place, "must specify restartPolicy when restart rules are used");
  } else if (!policies.includes(restartPolicy)) yield notSupported(place, restartPolicy, policies);
  if (rules.length > 20) yield tooMany(path.child("restartPolicyRules"), rules.length, 20);
  for (const [i, { action, exitCodes }] of rules.entries()) {
    const rule = path.child("restartPolicyRules").index(i);
    const actions = ["Restart", "RestartAllContainers"];
    if (!actions.includes(action ?? "")) yield notSupported(rule.child("action"), action ?? "", actions);
    if (exitCodes === undefined) {
      yield requiredValue(rule.child("exitCodes"), "must be specified");
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    const codes = rule.child("exitCodes");
    if (operator !== "In" && operator !== "NotIn") {
      yield notSupported(codes.child("operator"), operator, ["In", "NotIn"]);
    }
    if (values.length > 255) yield tooMany(codes.child("values"), values.length, 255);
  }
}
