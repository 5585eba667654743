import ipaddr from "ipaddr.js";
import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { isIp, validateIp } from "../../../meta/validation/ip.ts";
import { validatePort } from "../../../meta/validation/number.ts";
import { report, validateDnsLabel, validateOneOf } from "../../../meta/validation/report.ts";
import type { EndpointAddress, EndpointPort, Endpoints } from "./schema.ts";
import { protocols } from "../pod/validation/container.ts";
import { validateNodeName } from "../pod/validation/scheduling.ts";

const refusals = {
  loopback: "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  linkLocal: "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
} as const;

/**
 * Forbids loopback and link-local addresses: traffic to an endpoint must not reach private services of the
 * node or its neighbours.
 */
export function* validateEndpointIp(ip: string, path: FieldPath): Generator<FieldError> {
  if (!isIp(ip)) {
    yield invalid(path, ip, "must be a valid IP address");
    return;
  }
  const range = ipaddr.process(ip).range();
  if (/^(0\.0\.0\.0|[0:]+)$/.test(ip)) yield invalid(path, ip, `may not be unspecified (${ip})`);
  else if (range === "loopback" || range === "linkLocal") yield invalid(path, ip, refusals[range]);
  else if (/^(224\.0\.0\.|ff[0-9a-f]2:)/i.test(ip)) {
    yield invalid(path, ip, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

export function* validateEndpoints({ subsets = [] }: Endpoints): Generator<FieldError> {
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    const place = root.child("subsets").index(i);
    if (addresses.length + notReadyAddresses.length === 0) {
      yield requiredValue(place, "must specify `addresses` or `notReadyAddresses`");
    }
    for (const [name, list] of Object.entries({ addresses, notReadyAddresses })) {
      for (const [j, one] of list.entries()) yield* validateAddress(one, place.child(name).index(j));
    }
    for (const [j, port] of ports.entries()) {
      yield* validateEndpointPort(port, ports.length > 1, place.child("ports").index(j));
    }
  }
}

function* validateAddress(
  { ip, hostname, nodeName }: EndpointAddress,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateIp(ip, path.child("ip"));
  if (hostname !== undefined) yield* validateDnsLabel(hostname, path.child("hostname"));
  if (nodeName !== undefined) yield* validateNodeName(nodeName, path.child("nodeName"));
  yield* validateEndpointIp(ip, path.child("ip"));
}

function* validateEndpointPort(
  { name, port, protocol, appProtocol }: EndpointPort,
  needsName: boolean,
  path: FieldPath,
): Generator<FieldError> {
  if (name !== undefined) yield* validateDnsLabel(name, path.child("name"));
  else if (needsName) yield requiredValue(path.child("name"));
  yield* validatePort(port, path.child("port"));
  yield* validateOneOf(protocol, protocols, path.child("protocol"));
  if (appProtocol !== undefined) {
    yield* report(path.child("appProtocol"), appProtocol, labelKeyProblems(appProtocol));
  }
}
