import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  requiredValue,
  root,
  tooMany,
} from "../../../meta/field-error.ts";
import { labelKeyProblems, labelValueProblems } from "../../../meta/label-syntax.ts";
import { labelProblems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { ipFamily, validateCanonicalIp, validateIp } from "../../../meta/validation/ip.ts";
import { validateLabels } from "../../../meta/validation/labels.ts";
import { report, validateDnsLabel, validateKnown, validateOneOf } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { protocols } from "../../core/pod/validation/container.ts";
import { validateEndpointIp } from "../../core/endpoints/validation.ts";
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "./schema.ts";

const max = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8, topology: 16 } as const;

export function* validateEndpointSlice(slice: EndpointSlice): Generator<FieldError> {
  const { addressType, ports } = slice;
  yield* validateOneOf(addressType, ["FQDN", "IPv4", "IPv6"], root.child("addressType"));
  yield* validatePorts(ports, root.child("ports"));
}

/** Validates the endpoints, unless they are unchanged. */
export function* validateEndpoints(
  { addressType, endpoints }: EndpointSlice,
  old?: EndpointSlice,
): Generator<FieldError> {
  if (deepEqual(endpoints, old?.endpoints)) return;
  const place = root.child("endpoints");
  if (endpoints.length > max.endpoints) {
    yield tooMany(place, endpoints.length, max.endpoints);
    return;
  }
  for (const [i, one] of endpoints.entries()) yield* validateEndpoint(one, addressType, place.index(i));
}

export function* validateEndpointSliceUpdate(
  slice: EndpointSlice,
  old: EndpointSlice,
): Generator<FieldError> {
  yield* validateEndpoints(slice, old);
  yield* validateImmutable(slice.addressType, old.addressType, root.child("addressType"));
}

function* validatePorts(ports: readonly EndpointPort[], path: FieldPath): Generator<FieldError> {
  if (ports.length > max.ports) {
    yield tooMany(path, ports.length, max.ports);
    return;
  }
  const names = new Set<string>();
  for (const [i, { name = "", protocol, appProtocol }] of ports.entries()) {
    const place = path.index(i);
    if (name !== "") yield* validateDnsLabel(name, place.child("name"));
    if (names.has(name)) yield duplicate(place.child("name"), name);
    names.add(name);
    yield* validateKnown(protocol, protocols, place.child("protocol"));
    if (appProtocol !== undefined) {
      yield* report(place.child("appProtocol"), appProtocol, labelKeyProblems(appProtocol));
    }
  }
}

function* validateEndpoint(endpoint: Endpoint, addressType: string, path: FieldPath): Generator<FieldError> {
  const { addresses, nodeName, hostname, hints, deprecatedTopology } = endpoint;
  const place = path.child("addresses");
  if (addresses.length === 0) yield requiredValue(place, "must contain at least 1 address");
  else if (addresses.length > max.addresses) yield tooMany(place, addresses.length, max.addresses);
  for (const [i, address] of addresses.entries()) yield* validateAddress(address, addressType, place, i);
  if (nodeName !== undefined) yield* report(path.child("nodeName"), nodeName, subdomainProblems(nodeName));
  const topology = path.child("deprecatedTopology");
  const labels = Object.keys(deprecatedTopology ?? {}).length;
  if (labels > max.topology) yield tooMany(topology, labels, max.topology);
  yield* validateLabels(deprecatedTopology, topology);
  if (hostname !== undefined) yield* validateDnsLabel(hostname, path.child("hostname"));
  if (hints !== undefined) yield* validateHints(hints, path.child("hints"));
}

function* validateAddress(
  address: string,
  type: string,
  path: FieldPath,
  index: number,
): Generator<FieldError> {
  const place = path.index(index);
  if (type === "FQDN") {
    yield* validateDomain(address, place);
    return;
  }
  if (type !== "IPv4" && type !== "IPv6") return;
  const problems = [...(type === "IPv4" ? validateIp(address, place) : validateCanonicalIp(address, place))];
  yield* problems;
  if (problems.length > 0) return;
  if (ipFamily(address) !== type) yield invalid(path, address, `must be an ${type} address`);
  yield* validateEndpointIp(address, place);
}

function* validateDomain(domain: string, path: FieldPath): Generator<FieldError> {
  const name = domain.replace(/\.$/, "");
  const problems = subdomainProblems(name);
  if (domain === "") yield requiredValue(path);
  else if (problems.length > 0) yield invalid(path, name, problems.join(","));
  else if (!name.includes(".")) {
    yield invalid(path, name, "should be a domain with at least two segments separated by dots");
  } else {
    for (const part of name.split(".")) {
      const wrong = labelProblems(part);
      if (wrong.length > 0) yield invalid(path, part, wrong.join(","));
    }
  }
}

function* validateHints(
  { forZones = [], forNodes = [] }: EndpointHints,
  path: FieldPath,
): Generator<FieldError> {
  for (const [name, list, problemsOf] of [
    ["forZones", forZones, labelValueProblems],
    ["forNodes", forNodes, subdomainProblems],
  ] as const) {
    const place = path.child(name);
    if (list.length > max.hints) {
      yield tooMany(place, list.length, max.hints);
      return;
    }
    const seen = new Set<string>();
    for (const [i, hint] of list.entries()) {
      const one = place.index(i).child("name");
      if (seen.has(hint.name)) yield duplicate(one, hint.name);
      seen.add(hint.name);
      yield* report(one, hint.name, problemsOf(hint.name));
    }
  }
}
