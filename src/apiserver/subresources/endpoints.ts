import { bindings } from "../../api/core/binding/schema.ts";
import { componentStatuses } from "../../api/core/component-status/schema.ts";
import { namespaces } from "../../api/core/namespace/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { groupResource } from "../../meta/kind.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";
import { readLog } from "../streaming/log.ts";
import { upgradeRequired } from "../streaming/upgrade-required.ts";
import { bind } from "./binding.ts";
import { getComponent, listComponents } from "./components.ts";
import { evict } from "./eviction.ts";
import { finalizeNamespace } from "./finalize.ts";
import { review, reviewed } from "./reviews.ts";
import { createToken } from "./token.ts";

/** Answers one verb on a resource or subresource. */
export type Handle = (context: Context, target: Target, verb: string) => Promise<ApiResponse> | ApiResponse;

type Handles = ReadonlyMap<string, Handle>;

/** Subresources that are no part of their object, by resource. Their verbs stand in the kind. */
export const subresources: ReadonlyMap<string, Handles> = new Map([
  [
    groupResource(pods),
    new Map<string, Handle>([
      ["binding", bind],
      ["eviction", evict],
      ["log", readLog],
      ["exec", upgradeRequired],
      ["attach", upgradeRequired],
      ["portforward", upgradeRequired],
    ]),
  ],
  [groupResource(namespaces), new Map([["finalize", finalizeNamespace]])],
  [groupResource(serviceAccounts), new Map([["token", createToken]])],
]);

/** Resources that the store holds nothing of: each verb that they have is answered here. */
export const virtualResources: ReadonlyMap<string, Handles> = new Map([
  // A Binding changes its Pod, and is not kept.
  [groupResource(bindings), new Map([["create", bind]])],
  [
    groupResource(componentStatuses),
    new Map<string, Handle>([
      ["get", getComponent],
      ["list", listComponents],
    ]),
  ],
  ...reviewed.map((kind) => [groupResource(kind), new Map([["create", review]])] as const),
]);
