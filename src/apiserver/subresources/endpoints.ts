import { bindings } from "../../api/core/binding/schema.ts";
import { componentStatuses } from "../../api/core/component-status/schema.ts";
import { namespaces } from "../../api/core/namespace/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { nodeMetrics, podMetrics } from "../../api/metrics/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { groupResource, type Kind } from "../../meta/kind.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";
import { proxy } from "../proxy/proxy.ts";
import { readLog } from "../streaming/log.ts";
import { upgradeRequired } from "../streaming/upgrade-required.ts";
import { bind } from "./binding.ts";
import { getComponent, listComponents } from "./components.ts";
import { evict } from "./eviction.ts";
import { finalizeNamespace } from "./finalize.ts";
import { getNodeMetrics, getPodMetrics, listNodeMetrics, listPodMetrics } from "./metrics.ts";
import { review, reviewed } from "./reviews.ts";
import { createToken } from "./token.ts";

/** Answers one verb on a resource or subresource. */
export type Handle = (context: Context, target: Target, verb: string) => Promise<ApiResponse> | ApiResponse;

type Handles = ReadonlyMap<string, Handle>;

/** A subresource that is not part of its object. The kind declares its verbs. */
export interface SubresourceEndpoint {
  readonly kind: Kind;
  readonly name: string;
  readonly handle: Handle;
}

/** The built-in endpoints. `ApiServerOptions.subresources` adds to them. */
export const subresourceEndpoints: readonly SubresourceEndpoint[] = [
  { kind: pods, name: "binding", handle: bind },
  { kind: pods, name: "eviction", handle: evict },
  { kind: pods, name: "log", handle: readLog },
  { kind: pods, name: "exec", handle: upgradeRequired },
  { kind: pods, name: "attach", handle: upgradeRequired },
  { kind: pods, name: "portforward", handle: upgradeRequired },
  { kind: pods, name: "proxy", handle: proxy },
  { kind: services, name: "proxy", handle: proxy },
  { kind: nodes, name: "proxy", handle: proxy },
  { kind: namespaces, name: "finalize", handle: finalizeNamespace },
  { kind: serviceAccounts, name: "token", handle: createToken },
];

/** Returns the endpoints by resource and name, as `pods/eviction`. */
export function bySubresource(endpoints: readonly SubresourceEndpoint[]): ReadonlyMap<string, Handle> {
  return new Map(endpoints.map(({ kind, name, handle }) => [`${groupResource(kind)}/${name}`, handle]));
}

/** Resources without stored objects: each of their verbs is answered here. */
export const virtualResources: ReadonlyMap<string, Handles> = new Map([
  // A Binding changes its Pod, and is not stored.
  [groupResource(bindings), new Map([["create", bind]])],
  [
    groupResource(componentStatuses),
    new Map<string, Handle>([
      ["get", getComponent],
      ["list", listComponents],
    ]),
  ],
  [
    groupResource(nodeMetrics),
    new Map<string, Handle>([
      ["get", getNodeMetrics],
      ["list", listNodeMetrics],
    ]),
  ],
  [
    groupResource(podMetrics),
    new Map<string, Handle>([
      ["get", getPodMetrics],
      ["list", listPodMetrics],
    ]),
  ],
  ...reviewed.map((kind) => [groupResource(kind), new Map([["create", review]])] as const),
]);
