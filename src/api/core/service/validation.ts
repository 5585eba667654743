import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { ipFamily, validateIp } from "../../../meta/validation/ip.ts";
import { validateLabels } from "../../../meta/validation/labels.ts";
import { portProblems, validatePort, validatePortNumberOrName } from "../../../meta/validation/number.ts";
import {
  report,
  validateDnsLabel,
  validateKnown,
  validateOneOf,
  validateSubdomain,
} from "../../../meta/validation/report.ts";
import { externallyAccessible } from "./defaults.ts";
import { isHeadless, needsHealthCheck } from "./cluster-ips.ts";
import type { Service, ServicePort, ServiceSpec } from "./schema.ts";
import { protocols } from "../pod/validation/container.ts";
import { validateEndpointIp } from "../endpoints/validation.ts";
import { validateLoadBalancer } from "./load-balancer.ts";
import { repeats } from "../../../util/repeats.ts";

export const servicePath: FieldPath = root.child("spec");

export function* validateService({ metadata, spec }: Service): Generator<FieldError> {
  const { ports = [], type } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") {
    yield requiredValue(servicePath.child("ports"));
  }
  yield* validateType(spec);
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    yield* validateServicePort(port, ports.length > 1, names, servicePath.child("ports").index(i));
  }
  yield* validateLabels(spec.selector, servicePath.child("selector"));
  yield* validateAffinity(spec);
  if (type !== "ExternalName") yield* validateClusterIps(spec);
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const place = servicePath.child("externalIPs").index(i);
    const problems = [...validateIp(ip, place)];
    yield* problems;
    if (problems.length === 0) yield* validateEndpointIp(ip, place);
  }
  const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
  yield* validateOneOf(type, types, servicePath.child("type"));
  yield* validatePortClashes(spec);
  yield* validateLoadBalancer(metadata.annotations, spec);
  yield* validateTrafficPolicies(spec);
}

function* validateType(spec: ServiceSpec): Generator<FieldError> {
  const { type, clusterIPs } = spec;
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    yield invalid(
      servicePath.child("clusterIPs").index(0),
      "None",
      `may not be set to 'None' for ${type} services`,
    );
  }
  if (type !== "ExternalName") return;
  const set = { clusterIPs, ipFamilies: spec.ipFamilies, ipFamilyPolicy: spec.ipFamilyPolicy };
  for (const [name, value] of Object.entries(set)) {
    if (value !== undefined) {
      yield forbidden(servicePath.child(name), "may not be set for ExternalName services");
    }
  }
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") yield requiredValue(servicePath.child("externalName"));
  else yield* validateSubdomain(name, servicePath.child("externalName"));
}

function* validateServicePort(
  { name, port, protocol, targetPort, appProtocol }: ServicePort,
  needsName: boolean,
  names: Set<string>,
  path: FieldPath,
): Generator<FieldError> {
  if (name !== undefined) {
    yield* validateDnsLabel(name, path.child("name"));
    if (names.has(name)) yield duplicate(path.child("name"), name);
    names.add(name);
  } else if (needsName) yield requiredValue(path.child("name"));
  yield* validatePort(port, path.child("port"));
  yield* validateOneOf(protocol, protocols, path.child("protocol"));
  yield* validatePortNumberOrName(targetPort ?? 0, path.child("targetPort"));
  if (appProtocol !== undefined) {
    yield* report(path.child("appProtocol"), appProtocol, labelKeyProblems(appProtocol));
  }
}

/** The maximum duration of the session affinity: one day. */
const maxAffinitySeconds = 86_400;

function* validateAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Generator<FieldError> {
  yield* validateOneOf(sessionAffinity, ["ClientIP", "None"], servicePath.child("sessionAffinity"));
  const place = servicePath.child("sessionAffinityConfig");
  if (sessionAffinity === "ClientIP") {
    const message = "when session affinity type is ClientIP";
    const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
    if (sessionAffinityConfig === undefined) yield requiredValue(place, message);
    else if (sessionAffinityConfig.clientIP === undefined) {
      yield requiredValue(place.child("clientIP"), message);
    } else if (seconds === undefined) {
      yield requiredValue(place.child("clientIP", "timeoutSeconds"), message);
    } else if (seconds <= 0 || seconds > maxAffinitySeconds) {
      yield invalid(
        place.child("clientIP", "timeoutSeconds"),
        seconds,
        `must be greater than 0 and less than ${maxAffinitySeconds}`,
      );
    }
  } else if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    yield forbidden(place, "must not be set when session affinity is None");
  }
}

/** Also runs before addresses are allocated. A Service of type `ExternalName` has no addresses. */
export function* validateClusterIps(spec: ServiceSpec): Generator<FieldError> {
  const { clusterIP, clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const place = servicePath.child("clusterIPs");
  if (clusterIP === undefined) {
    if (clusterIPs.length > 0) {
      yield invalid(place, clusterIPs, "must be empty when `clusterIP` is not specified");
    }
  } else if (clusterIPs.length === 0) yield requiredValue(place);
  else if (clusterIPs[0] !== clusterIP)
    yield invalid(place, clusterIPs, "first value must match `clusterIP`");
  const repeated = repeats(ipFamilies);
  for (const [i, family] of ipFamilies.entries()) {
    const one = servicePath.child("ipFamilies").index(i);
    if (!["IPv4", "IPv6"].includes(family)) yield notSupported(one, family, ["IPv4", "IPv6"]);
    if (repeated.has(i)) yield duplicate(one, family);
  }
  const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  yield* validateKnown(ipFamilyPolicy, familyPolicies, servicePath.child("ipFamilyPolicy"));
  let areAddresses = true;
  for (const issue of validateEachClusterIp(clusterIPs, place)) {
    areAddresses = false;
    yield issue;
  }
  if (clusterIPs.length > 2) yield invalid(place, clusterIPs, "may only hold up to 2 values");
  if (!areAddresses) return;
  const families = clusterIPs.map(ipFamily);
  if (clusterIPs.length > 1 && new Set(families).size === 1) {
    yield invalid(place, clusterIPs, "may specify no more than one IP for each IP family");
  }
  if (isHeadless(spec)) return;
  for (const [i, ip] of clusterIPs.entries()) {
    const family = ipFamilies[i];
    if (family !== undefined && family !== families[i]) {
      yield invalid(place.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
    }
  }
}

function* validateEachClusterIp(clusterIPs: readonly string[], place: FieldPath): Generator<FieldError> {
  for (const [i, ip] of clusterIPs.entries()) {
    if (i > 0 || ip !== "None") yield* validateIp(ip, place.index(i));
    else if (clusterIPs.length > 1) {
      yield invalid(place, clusterIPs, "'None' must be the first and only value");
    }
  }
}

function* validatePortClashes({ ports = [], type }: ServiceSpec): Generator<FieldError> {
  const nodePorts = new Set<string>();
  const seen = new Set<string>();
  for (const [i, { port, nodePort, protocol = "" }] of ports.entries()) {
    const place = servicePath.child("ports").index(i);
    if (nodePort !== undefined) {
      if (type === "ClusterIP") {
        yield forbidden(place.child("nodePort"), "may not be used when `type` is 'ClusterIP'");
      }
      if (nodePorts.has(`${protocol}/${nodePort}`)) yield duplicate(place.child("nodePort"), nodePort);
      nodePorts.add(`${protocol}/${nodePort}`);
    }
    if (seen.has(`${protocol}/${port}`)) yield duplicate(place, { port, protocol, targetPort: 0 });
    seen.add(`${protocol}/${port}`);
  }
}

function* validateTrafficPolicies(spec: ServiceSpec): Generator<FieldError> {
  const { externalTrafficPolicy, internalTrafficPolicy, trafficDistribution, healthCheckNodePort } = spec;
  const policies = ["Cluster", "Local"];
  const external = servicePath.child("externalTrafficPolicy");
  if (externallyAccessible(spec)) yield* validateOneOf(externalTrafficPolicy, policies, external);
  else if (externalTrafficPolicy !== undefined) {
    yield invalid(external, externalTrafficPolicy, "may only be set for externally-accessible services");
  }
  const health = servicePath.child("healthCheckNodePort");
  if (needsHealthCheck(spec)) {
    if (healthCheckNodePort === undefined) yield requiredValue(health);
    else yield* report(health, healthCheckNodePort, portProblems(healthCheckNodePort));
  } else if (healthCheckNodePort !== undefined) {
    yield invalid(
      health,
      healthCheckNodePort,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  }
  const internal = servicePath.child("internalTrafficPolicy");
  if (spec.type !== "ExternalName" && internalTrafficPolicy === undefined) yield requiredValue(internal);
  yield* validateKnown(internalTrafficPolicy, policies, internal);
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  yield* validateKnown(trafficDistribution, distributions, servicePath.child("trafficDistribution"));
}
