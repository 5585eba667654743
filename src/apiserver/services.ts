import type { NodeEndpoint } from "../meta/node-endpoint.ts";
import type { Env } from "../util/env.ts";
import type { Store } from "../store/store.ts";
import type { AdmissionPlugin } from "./admission/plugin.ts";
import type { Authenticator } from "./authn/authenticator.ts";
import type { ServiceAccountTokens } from "./authn/service-account-tokens.ts";
import type { Authorizer } from "./authz/authorizer.ts";
import type { Codec } from "./resources/codec.ts";
import type { Reader } from "./resources/reader.ts";
import type { ResourceTable } from "./resources/served.ts";
import type { WatchHub } from "./watch/hub.ts";
import type { WebhookClient } from "./webhooks/webhook-client.ts";

/** What the steps of the chain work with: made once by the server, the same for every request. */
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
  /** The way to programs that take part in what the server does. */
  readonly webhooks: WebhookClient;
  /** The parts of the control plane that run, by name: undefined while all is well, or what ended one. */
  readonly components: () => ReadonlyMap<string, unknown>;
  /** The way to a node's containers; undefined for a node that cannot be reached. */
  readonly nodes: (nodeName: string) => NodeEndpoint | undefined;
}
