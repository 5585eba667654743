import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { labelProblems, subdomainProblems, wildcardProblems } from "../../../meta/validation/dns.ts";
import { isIp, validateIp } from "../../../meta/validation/ip.ts";
import { portNameProblems, portProblems } from "../../../meta/validation/number.ts";
import { report, validateSubdomain } from "../../../meta/validation/report.ts";
import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule, IngressTLS } from "./schema.ts";
import { validateObjectReference } from "../ingress-class/validation.ts";

const path = root.child("spec");

/** The annotation that `spec.ingressClassName` replaces. */
export const classAnnotation = "kubernetes.io/ingress.class";

export function* validateIngressCreate(ingress: Ingress): Generator<FieldError> {
  yield* validateIngress(ingress);
  const { ingressClassName } = ingress.spec;
  const annotated = ingress.metadata.annotations?.[classAnnotation];
  if (annotated !== undefined && ingressClassName !== undefined && annotated !== ingressClassName) {
    const why = "must match `ingressClassName` when both are specified";
    yield invalid(root.child("annotations", classAnnotation), annotated, why);
  }
}

/** Validates an Ingress. Tolerates some invalid values that the old object already has. */
export function* validateIngress({ spec }: Ingress, old?: Ingress): Generator<FieldError> {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    // Upstream shows the absent rules as the value.
    yield invalid(path, null, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend !== undefined) yield* validateBackend(defaultBackend, path.child("defaultBackend"));
  const allowsWildcards = old?.spec.rules?.some((rule) => isWildcard(rule) && hasProblem(rule)) ?? false;
  for (const [i, rule] of rules.entries()) {
    yield* validateHost(rule, path.child("rules").index(i).child("host"));
    if (!isWildcard(rule) || !allowsWildcards) yield* validateRule(rule, path.child("rules").index(i));
  }
  const allowsNames = old?.spec.tls?.some(({ secretName }) => secretProblems(secretName).length > 0) ?? false;
  for (const [i, one] of tls.entries()) yield* validateTls(one, allowsNames, path.child("tls").index(i));
  if (ingressClassName !== undefined) {
    yield* validateSubdomain(ingressClassName, path.child("ingressClassName"));
  }
}

const isWildcard = ({ host = "" }: IngressRule) => host.includes("*");
const hasProblem = (rule: IngressRule) => validateRule(rule, root).next().done !== true;
const hostProblems = (host: string) =>
  host.includes("*") ? wildcardProblems(host) : subdomainProblems(host);
const secretProblems = (name = "") => (name === "" ? [] : subdomainProblems(name));

function* validateHost({ host }: IngressRule, place: FieldPath): Generator<FieldError> {
  if (host === undefined) return;
  if (isIp(host)) yield invalid(place, host, "must be a DNS name, not an IP address");
  yield* report(place, host, hostProblems(host));
}

function* validateRule({ http }: IngressRule, place: FieldPath): Generator<FieldError> {
  if (http === undefined) return;
  const paths = place.child("http", "paths");
  if (http.paths.length === 0) yield requiredValue(paths);
  for (const [i, one] of http.paths.entries()) yield* validatePath(one, paths.index(i));
}

function* validateTls(
  { hosts = [], secretName = "" }: IngressTLS,
  allowsAnyName: boolean,
  place: FieldPath,
): Generator<FieldError> {
  for (const [i, host] of hosts.entries()) {
    yield* report(place.child("hosts").index(i), host, hostProblems(host));
  }
  if (!allowsAnyName) yield* report(place.child("secretName"), secretName, secretProblems(secretName));
}

function* validatePath(
  { path: text = "", pathType, backend }: HTTPIngressPath,
  place: FieldPath,
): Generator<FieldError> {
  if (pathType === undefined) {
    yield requiredValue(place.child("pathType"), "pathType must be specified");
    return;
  }
  const textPath = place.child("path");
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!text.startsWith("/")) yield invalid(textPath, text, "must be an absolute path");
    for (const part of ["//", "/./", "/../", "%2f", "%2F"]) {
      if (text.includes(part)) yield invalid(textPath, text, `must not contain '${part}'`);
    }
    for (const end of ["/..", "/."]) {
      if (text.endsWith(end)) yield invalid(textPath, text, `cannot end with '${end}'`);
    }
  } else if (pathType === "ImplementationSpecific") {
    if (text !== "" && !text.startsWith("/")) yield invalid(textPath, text, "must be an absolute path");
  } else {
    const types = ["Exact", "ImplementationSpecific", "Prefix"];
    yield notSupported(place.child("pathType"), pathType, types);
  }
  yield* validateBackend(backend, place.child("backend"));
}

function* validateBackend({ service, resource }: IngressBackend, place: FieldPath): Generator<FieldError> {
  if (resource !== undefined && service !== undefined) {
    yield invalid(place, "", "cannot set both resource and service backends");
  } else if (resource !== undefined) yield* validateObjectReference(resource, place.child("resource"));
  else if (service === undefined) yield invalid(place, "", "resource or service backend is required");
  else {
    const { name, port } = service;
    const namePath = place.child("service", "name");
    if (name === "") yield requiredValue(namePath);
    else yield* report(namePath, name, labelProblems(name));
    const portPath = place.child("service", "port");
    if (port.name !== undefined && port.number !== undefined) {
      yield invalid(place, "", "cannot set both port name & port number");
    } else if (port.name !== undefined) {
      yield* report(portPath.child("name"), port.name, portNameProblems(port.name));
    } else if (port.number !== undefined) {
      yield* report(portPath.child("number"), port.number, portProblems(port.number));
    } else yield requiredValue(place, "port name or number is required");
  }
}

export function* validateIngressStatus({ status }: Ingress, old: Ingress): Generator<FieldError> {
  const before = new Set((old.status.loadBalancer.ingress ?? []).map(({ ip }) => ip));
  for (const [i, { ip, hostname }] of (status.loadBalancer.ingress ?? []).entries()) {
    const place = root.child("status", "loadBalancer", "ingress").index(i);
    if (ip !== undefined && !before.has(ip)) yield* validateIp(ip, place.child("ip"));
    if (hostname === undefined) continue;
    yield* validateSubdomain(hostname, place.child("hostname"));
    if (isIp(hostname)) {
      yield invalid(place.child("hostname"), hostname, "must be a DNS name, not an IP address");
    }
  }
}
