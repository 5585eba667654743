import type { NodeEndpoint } from "../meta/node-endpoint.ts";
import type { Env } from "../util/env.ts";
import type { Store } from "../store/store.ts";
import type { AdmissionPlugin } from "./admission/plugin.ts";
import type { Authenticator } from "./authn/authenticator.ts";
import type { ServiceAccountTokens } from "./authn/service-account-tokens.ts";
import type { Authorizer } from "./authz/authorizer.ts";
import type { RemoteNodes } from "./nodes/remote-nodes.ts";
import type { Codec } from "./resources/codec.ts";
import type { Reader } from "./resources/reader.ts";
import type { ResourceTable } from "./resources/served.ts";
import type { Placements } from "./subresources/placements.ts";
import type { WatchHub } from "./watch/hub.ts";
import type { WebhookClient } from "./webhooks/webhook-client.ts";

/** The parts of the server that the chain's steps use: made once, and shared by all requests. */
export interface Services {
  readonly env: Env;
  readonly store: Store;
  readonly codec: Codec;
  readonly hub: WatchHub;
  readonly reader: Reader;
  readonly resources: ResourceTable;
  readonly admission: readonly AdmissionPlugin[];
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly tokens: ServiceAccountTokens;
  /** The last bindings of Pods to nodes. */
  readonly placements: Placements;
  /** Calls webhooks. */
  readonly webhooks: WebhookClient;
  /**
   * The health of the control plane's running components, by name: undefined when healthy, else the reason of
   * the end.
   */
  readonly components: () => ReadonlyMap<string, unknown>;
  /** Connects to the kubelets of nodes in other processes; undefined without credentials for them. */
  readonly remoteNodes: RemoteNodes | undefined;
  /** Returns the endpoint of a node in this process. */
  readonly localNode: (nodeName: string) => NodeEndpoint | undefined;
  /** True if the addresses of Pods on nodes of this process can be connected to. */
  readonly reachesPods: boolean;
  /**
   * Returns a node's endpoint for its containers; undefined for an unreachable node. @throws StatusError for a node
   * without an object or an address
   */
  readonly nodes: (nodeName: string) => NodeEndpoint | undefined;
}
