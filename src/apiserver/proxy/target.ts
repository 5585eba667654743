import { lookup } from "node:dns";
import { endpoints } from "../../api/core/endpoints/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { services as serviceKind } from "../../api/core/service/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import type { NodeEndpoint } from "../../meta/node-endpoint.ts";
import { errors } from "../../meta/status.ts";
import { randomInt } from "../../util/random.ts";
import type { Context } from "../context.ts";
import { joinHostPort } from "../nodes/location.ts";
import type { Target } from "../resources/target.ts";
import { getPlain } from "../registry/read.ts";
import { type Backend, kubeletBackend, streamBackend } from "./backend.ts";
import { dialTcp } from "./dial.ts";
import { addressNotAllowed, guardedLookup, isGlobalUnicast } from "./global-unicast.ts";
import { parseProxyName, type ProxyName } from "./name.ts";

/** Returns the node of a request for a node of this process; undefined for every other request. */
export function localNode(
  { services }: Context,
  { resource, name: id }: Target,
): { readonly node: NodeEndpoint; readonly name: string } | undefined {
  if (resource.kind.plural !== "nodes") return undefined;
  const { name } = parseProxyName("node", id);
  const node = services.reader.get(nodes, "", name) && services.localNode(name);
  return node && { node, name };
}

/** Returns the kubelet of a node in another process (`pkg/registry/core/node` `ResourceLocation`). @throws StatusError */
export function nodeBackend({ services }: Context, id: string): Backend {
  const { name, port } = parseProxyName("node", id);
  if (services.reader.get(nodes, "", name) === undefined)
    throw errors.notFound({ group: "", resource: "nodes" }, name);
  const kubelet = services.remoteNodes?.kubelet(name, "nodes");
  if (kubelet === undefined) throw errors.internal(`error dialing backend: node ${name} cannot be reached`);
  const { location, isProxyable = isGlobalUnicast } = kubelet;
  // Upstream connects to any port of the node; here a node's status opens no more than the kubelet's port.
  if (port !== "" && port !== String(location.port)) throw errors.badRequest(addressNotAllowed);
  const isAddress = /^[\d.]+$/.test(location.host) || location.host.includes(":");
  if (isAddress && !isProxyable(location.host)) throw errors.badRequest(addressNotAllowed);
  const guarded = guardedLookup(kubelet.lookup ?? lookup, isProxyable);
  return kubeletBackend(kubelet, joinHostPort(location), guarded);
}

/** Returns a Pod's port (`pkg/registry/core/pod` `ResourceLocation`). @throws StatusError */
export function podBackend(context: Context, namespace: string, id: string): Backend {
  const parsed = parseProxyName("pod", id);
  const pod = getPlain(context, pods, namespace, parsed.name);
  const first = pod.spec.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0];
  const port = parsed.port === "" ? String(first?.containerPort ?? (parsed.isTls ? 443 : 80)) : parsed.port;
  return connectPod(context, pod, pod.status.podIPs?.[0]?.ip ?? "", { ...parsed, port });
}

/** Returns a port of a ready Pod of a Service (`pkg/registry/core/service/storage`). @throws StatusError */
export function serviceBackend(context: Context, namespace: string, id: string): Backend {
  const parsed = parseProxyName("service", id);
  const portName = servicePort(context, namespace, parsed);
  const { reader, env } = context.services;
  const found = reader.get(endpoints, namespace, parsed.name);
  // Upstream's error has the resource of the request.
  if (found === undefined) throw errors.notFound({ group: "", resource: "services" }, parsed.name);
  const { subsets = [] } = found;
  if (subsets.length === 0)
    throw errors.unavailable(`no endpoints available for service ${JSON.stringify(parsed.name)}`);
  for (const { addresses = [], ports = [] } of rotated(subsets, randomInt(env.random, subsets.length))) {
    const port = ports.find((one) => (one.name ?? "") === portName);
    if (port === undefined || addresses.length === 0) continue;
    for (const { ip, targetRef } of rotated(addresses, randomInt(env.random, addresses.length))) {
      // Anybody who may write Endpoints could name any address: only a Pod's own address is connected to.
      if (targetRef?.namespace !== namespace || targetRef.name === undefined) continue;
      const pod = reader.get(pods, namespace, targetRef.name);
      if (pod?.status.podIPs?.some((one) => one.ip === ip) !== true) continue;
      return connectPod(context, pod, ip, { ...parsed, port: String(port.port) });
    }
  }
  throw errors.unavailable(`no endpoints available for service ${JSON.stringify(id)}`);
}

function servicePort(context: Context, namespace: string, { name, port }: ProxyName): string {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = getPlain(context, serviceKind, namespace, name);
  const found = service.spec.ports?.find((one) => one.port === Number(port));
  if (found === undefined)
    throw errors.unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
  return found.name ?? "";
}

function* rotated<T>(items: readonly T[], start: number): Generator<T> {
  yield* items.slice(start);
  yield* items.slice(0, start);
}

/**
 * Connects to a Pod's address; a Pod without an address of this machine's network, because its node is simulated, is
 * reached through its node.
 */
function connectPod({ services }: Context, pod: Pod, ip: string, { isTls, port }: ProxyName): Backend {
  if (!isGlobalUnicast(ip)) throw errors.badRequest(addressNotAllowed);
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535)
    throw errors.unavailable(`error trying to reach service: address ${port}: invalid port`);
  const host = joinHostPort({ host: ip, port: number });
  const { nodeName = "" } = pod.spec;
  const local = services.localNode(nodeName);
  if (local === undefined || services.reachesPods) {
    // The addresses of Pods on nodes that never reported a kubelet are invented.
    if (local === undefined) services.remoteNodes?.kubelet(nodeName, "pods");
    return streamBackend(host, isTls, () => dialTcp(services.env.clock, ip, number));
  }
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return streamBackend(host, isTls, () => local.dial({ namespace, name, uid }, number));
}
