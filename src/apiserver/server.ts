import { nodes as nodeKind } from "../api/core/node/schema.ts";
import { pods as podKind } from "../api/core/pod/schema.ts";
import { services as serviceKind } from "../api/core/service/schema.ts";
import type { ApiRequest, ApiResponse } from "../meta/exchange.ts";
import { groupResource } from "../meta/kind.ts";
import type { Registration } from "../meta/strategy.ts";
import type { Store } from "../store/store.ts";
import { every } from "../util/clock.ts";
import type { NodeEndpoint } from "../meta/node-endpoint.ts";
import type { Env } from "../util/env.ts";
import type { AdmissionPlugin } from "./admission/plugin.ts";
import type { Authenticator } from "./authn/authenticator.ts";
import type { Authorizer } from "./authz/authorizer.ts";
import { NodeAuthorizer } from "./authz/node.ts";
import { UnionAuthorizer } from "./authz/union.ts";
import type { TokenKeyTexts } from "./authn/token-keys.ts";
import { BootstrapTokens } from "./authn/bootstrap-tokens.ts";
import { recordTokenUse } from "./record-token-use.ts";
import { ServiceAccountTokens } from "./authn/service-account-tokens.ts";
import { withCheckedExpressions } from "./checked-kinds.ts";
import { runChain } from "./chain.ts";
import type { Step } from "./context.ts";
import { serve } from "./dispatch.ts";
import { CustomResources } from "./crd/controller.ts";
import { expireEvents } from "./event-expiry.ts";
import { RemoteNodes, type RemoteNodesOptions } from "./nodes/remote-nodes.ts";
import type { Codec } from "./resources/codec.ts";
import { Reader } from "./resources/reader.ts";
import { ResourceTable } from "./resources/served.ts";
import type { Services } from "./services.ts";
import { bySubresource, type SubresourceEndpoint, subresourceEndpoints } from "./subresources/endpoints.ts";
import { proxyUpgrade } from "./proxy/upgrade.ts";
import type { AcceptUpgrade } from "./streaming/accept-upgrade.ts";
import { Placements } from "./subresources/placements.ts";
import { WatchHub } from "./watch/hub.ts";
import type { IndexedField } from "./watch/feed.ts";
import type { SendHttps } from "./webhooks/https.ts";
import { WebhookClient } from "./webhooks/webhook-client.ts";

export interface ApiServerOptions {
  readonly env: Env;
  /** Made with `codec.stamp`, so that its bytes carry their revision. */
  readonly store: Store;
  readonly codec: Codec;
  readonly registrations: readonly Registration[];
  /** Endpoints beyond the built-in ones. */
  readonly subresources?: readonly SubresourceEndpoint[];
  readonly admission: readonly AdmissionPlugin[];
  /** Authenticators beyond service-account tokens, which the server verifies itself. */
  readonly authenticators: readonly Authenticator[];
  /** The keys that sign and verify service-account tokens. */
  readonly serviceAccountKeys: TokenKeyTexts;
  /** Returns the endpoint of a node in this process. */
  readonly nodes: (nodeName: string) => NodeEndpoint | undefined;
  /** True if the addresses of Pods on nodes of this process can be connected to. Default: false. */
  readonly reachesPods?: boolean | undefined;
  /** The means to connect to the kubelets of all other nodes; without them they cannot be reached. */
  readonly kubelets?: RemoteNodesOptions | undefined;
  /** The components in componentstatuses beside the store. Default: none. */
  readonly components?: Services["components"];
  /** Sends requests to webhooks; without it every webhook fails. */
  readonly sendHttps?: SendHttps | undefined;
  /** The time after which Events are deleted; Infinity keeps them. Default: an hour. */
  readonly eventTtlMs?: number | undefined;
  /**
   * Made from the server's stored objects, because permissions are objects too. Node agents have their own
   * authorizer in addition.
   */
  readonly authorizer: (services: Pick<Services, "store" | "codec" | "hub">) => Authorizer;
}

/** The API server: a request chain over a store. Listeners and in-process clients call `handle`. */
export class ApiServer {
  readonly services: Services;
  /** Connects upgraded requests to backends, by subresources such as `pods/proxy`. */
  readonly upgrades: ReadonlyMap<string, AcceptUpgrade>;
  readonly #answer: Step;
  readonly #eventTtlMs: number | undefined;
  readonly #customResources: CustomResources;

  constructor(options: ApiServerOptions) {
    const { env, store, codec, admission, nodes, kubelets } = options;
    this.#eventTtlMs = options.eventTtlMs;
    const registrations = options.registrations.map(withCheckedExpressions);
    const resources = new ResourceTable(registrations);
    const reader = new Reader({ store, codec, resources });
    const remoteNodes = kubelets === undefined ? undefined : new RemoteNodes(env.clock, reader, kubelets);
    const hub = new WatchHub(store, codec, env.log, indexedFields(registrations));
    const tokens = new ServiceAccountTokens({ env, store, codec }, options.serviceAccountKeys, (secret) =>
      recordTokenUse(this.services, secret),
    );
    this.services = {
      env,
      store,
      codec,
      hub,
      resources,
      reader,
      admission,
      authenticators: [...options.authenticators, tokens, new BootstrapTokens({ env, store, codec })],
      tokens,
      placements: new Placements(store.revision),
      authorizer: new UnionAuthorizer([
        new NodeAuthorizer({ store, codec, hub }),
        options.authorizer({ store, codec, hub }),
      ]),
      webhooks: new WebhookClient({ env, reader }, options.sendHttps ?? noNetwork),
      remoteNodes,
      localNode: nodes,
      reachesPods: options.reachesPods ?? false,
      nodes: (name) => nodes(name) ?? remoteNodes?.endpoint(name),
      components: options.components ?? (() => new Map()),
    };
    const subresources = bySubresource([...subresourceEndpoints, ...(options.subresources ?? [])]);
    this.upgrades = new Map(
      [nodeKind, podKind, serviceKind].map((kind) => [`${groupResource(kind)}/proxy`, proxyUpgrade]),
    );
    this.#answer = (context) => serve(context, subresources);
    this.#customResources = new CustomResources(this.services);
  }

  /**
   * Answers a request. Never rejects: errors are answered as Status. `step` runs between authorization and
   * the answer.
   */
  readonly handle = (request: ApiRequest, step?: Step): Promise<ApiResponse> =>
    runChain(this.services, request, step === undefined ? [this.#answer] : [step, this.#answer]);

  /** Feeds watches, serves custom resources, and deletes old Events until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { hub, store, env } = this.services;
    await Promise.all([
      hub.run(signal),
      this.#customResources.run(signal),
      expireEvents(store, env.clock, signal, { ttlMs: this.#eventTtlMs }),
      every(env.clock, forgetEveryMs, signal, () => hub.forget()),
    ]);
  }
}

/** The interval at which the watch cache drops changes that the store has compacted. */
const forgetEveryMs = 30_000;

const noNetwork: SendHttps = () => Promise.reject(new Error("there is no network"));

function indexedFields(registrations: readonly Registration[]): ReadonlyMap<string, IndexedField> {
  const fields = new Map<string, IndexedField>();
  for (const { kind, strategy } of registrations) {
    const field =
      strategy.watchIndex === undefined ? undefined : strategy.selectableFields?.[strategy.watchIndex];
    if (field !== undefined) fields.set(groupResource(kind), field);
  }
  return fields;
}
