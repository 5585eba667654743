import type { Node } from "../../api/core/node/schema.ts";
import { errors, failure } from "../../meta/status.ts";

/** The address of a node's kubelet. */
export interface KubeletLocation {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
}

/** The order of `--kubelet-preferred-address-types` by default. */
export const defaultAddressTypes: readonly string[] = [
  "Hostname",
  "InternalDNS",
  "InternalIP",
  "ExternalDNS",
  "ExternalIP",
];

/**
 * Returns the address that a node's status reports: the first of the first preferred type (`pkg/kubelet/client`
 * `GetConnectionInfo`). Upstream tries port 10250 for a node that reports no port; here such a node has no kubelet
 * to connect to, because a simulated node's address may be another machine's. @throws StatusError
 */
export function kubeletLocation(
  { metadata, status }: Node,
  preferred: readonly string[] = defaultAddressTypes,
): KubeletLocation {
  const { addresses = [] } = status;
  const found = preferred
    .map((type) => addresses.find((one) => one.type === type))
    .find((one) => one !== undefined);
  if (found === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
    throw failure(500, "", `no preferred addresses found; known addresses: [${known}]`);
  }
  const port = status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw errors.internal(`error dialing backend: node ${metadata.name} cannot be reached`);
  if (!isHost(found.address)) throw errors.internal(`invalid address of node ${metadata.name}`);
  return { host: found.address, port };
}

/** A node writes its own addresses: nothing but a host name or an IP address reaches the resolver. */
function isHost(address: string): boolean {
  return /^[\w.:-]{1,253}$/.test(address);
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function joinHostPort({ host, port }: KubeletLocation): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
