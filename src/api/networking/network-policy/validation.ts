import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { isCidr, isStrictSubnet, validateCidr } from "../../../meta/validation/ip.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import { portProblems, validatePortNumberOrName } from "../../../meta/validation/number.ts";
import { report } from "../../../meta/validation/report.ts";
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "./schema.ts";

const path = root.child("spec");

/** The rules of both directions with their paths. */
function* rulesOf({ spec: { ingress = [], egress = [] } }: NetworkPolicy) {
  for (const [i, { ports = [], from = [] }] of ingress.entries()) {
    const place = path.child("ingress").index(i);
    yield { ports, peers: from, place, peersPath: place.child("from") };
  }
  for (const [i, { ports = [], to = [] }] of egress.entries()) {
    const place = path.child("egress").index(i);
    yield { ports, peers: to, place, peersPath: place.child("to") };
  }
}

/** The subnets with their paths. */
export function* subnetsOf(policy: NetworkPolicy): Generator<readonly [subnet: string, place: FieldPath]> {
  for (const { peers, peersPath } of rulesOf(policy)) {
    for (const [i, { ipBlock }] of peers.entries()) {
      if (ipBlock === undefined) continue;
      const place = peersPath.index(i).child("ipBlock");
      yield [ipBlock.cidr, place.child("cidr")];
      for (const [j, one] of (ipBlock.except ?? []).entries()) yield [one, place.child("except").index(j)];
    }
  }
}

/** Validates a policy. Tolerates invalid subnets that the old policy has at any path. */
export function* validateNetworkPolicy(policy: NetworkPolicy, old?: NetworkPolicy): Generator<FieldError> {
  const { podSelector, policyTypes = [] } = policy.spec;
  const known = new Set(old === undefined ? [] : [...subnetsOf(old)].map(([subnet]) => subnet));
  yield* validateLabelSelector(podSelector, path.child("podSelector"));
  for (const { ports, peers, place, peersPath } of rulesOf(policy)) {
    for (const [i, port] of ports.entries()) yield* validatePort(port, place.child("ports").index(i));
    for (const [i, peer] of peers.entries()) yield* validatePeer(peer, known, peersPath.index(i));
  }
  const types = ["Ingress", "Egress"];
  const typesPath = path.child("policyTypes");
  if (policyTypes.length > types.length) {
    yield invalid(typesPath, policyTypes, "may not specify more than two policyTypes");
    return;
  }
  for (const [i, type] of policyTypes.entries()) {
    if (!types.includes(type)) yield notSupported(typesPath.index(i), type, types);
  }
}

function* validatePort(
  { protocol, port, endPort }: NetworkPolicyPort,
  place: FieldPath,
): Generator<FieldError> {
  const protocols = ["TCP", "UDP", "SCTP"];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    yield notSupported(place.child("protocol"), protocol, protocols);
  }
  const endPath = place.child("endPort");
  if (port === undefined) {
    if (endPort !== undefined)
      yield invalid(endPath, endPort, "may not be specified when `port` is not specified");
    return;
  }
  if (typeof port === "string" && endPort !== undefined) {
    yield invalid(endPath, endPort, "may not be specified when `port` is non-numeric");
  }
  yield* validatePortNumberOrName(port, place.child("port"));
  if (typeof port === "string" || endPort === undefined) return;
  // Upstream shows the first port as the value.
  if (endPort < port) yield invalid(endPath, port, "must be greater than or equal to `port`");
  yield* report(endPath, endPort, portProblems(endPort));
}

function* validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  known: ReadonlySet<string>,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateLabelSelector(podSelector, place.child("podSelector"));
  yield* validateLabelSelector(namespaceSelector, place.child("namespaceSelector"));
  if (ipBlock !== undefined) yield* validateBlock(ipBlock, known, place.child("ipBlock"));
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selects && ipBlock === undefined) yield requiredValue(place, "must specify a peer");
  else if (selects && ipBlock !== undefined) {
    yield forbidden(place, "may not specify both ipBlock and another peer");
  }
}

function* validateBlock(
  { cidr, except = [] }: IPBlock,
  known: ReadonlySet<string>,
  place: FieldPath,
): Generator<FieldError> {
  if (cidr === "") {
    yield requiredValue(place.child("cidr"));
    return;
  }
  if (!known.has(cidr)) yield* validateCidr(cidr, place.child("cidr"));
  if (!isCidr(cidr)) return;
  for (const [i, one] of except.entries()) {
    const exceptPath = place.child("except").index(i);
    if (!known.has(one)) yield* validateCidr(one, exceptPath);
    if (isCidr(one) && !isStrictSubnet(one, cidr)) {
      yield invalid(exceptPath, one, "must be a strict subset of `cidr`");
    }
  }
}
