import { nodes } from "../../api/core/node/schema.ts";
import type { NodeEndpoint } from "../../meta/node-endpoint.ts";
import { errors } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import type { Reader } from "../resources/reader.ts";
import { KubeletClient, type KubeletClientOptions } from "./connect.ts";
import { defaultAddressTypes, kubeletLocation } from "./location.ts";
import { remoteNode } from "./remote-node.ts";
import type { Kubelet } from "./spdy.ts";

export interface RemoteNodesOptions extends Omit<KubeletClientOptions, "clock"> {
  /** The types of addresses in the order of preference (`--kubelet-preferred-address-types`). */
  readonly addressTypes?: readonly string[] | undefined;
  /** Decides if requests may be proxied to an address. Default: every address but loopback and link-local ones. */
  readonly isProxyable?: ((address: string) => boolean) | undefined;
}

/** Connects to the kubelets of nodes that do not run in this process. */
export class RemoteNodes {
  readonly client: KubeletClient;
  readonly #clock: Clock;
  readonly #reader: Reader;
  readonly #addressTypes: readonly string[];
  readonly #network: Pick<Kubelet, "lookup" | "isProxyable">;

  constructor(clock: Clock, reader: Reader, { addressTypes, isProxyable, ...options }: RemoteNodesOptions) {
    this.#clock = clock;
    this.#reader = reader;
    this.#addressTypes = addressTypes ?? defaultAddressTypes;
    this.#network = { lookup: options.lookup, isProxyable };
    this.client = new KubeletClient({ ...options, clock });
  }

  /**
   * Returns a node's kubelet, as the node's status reports it now. `resource` is that of the request: upstream's error
   * for a missing node has its name. @throws StatusError without a node or address
   */
  kubelet(name: string, resource: "nodes" | "pods"): Kubelet {
    const node = this.#reader.get(nodes, "", name);
    if (node === undefined) throw errors.notFound({ group: "", resource }, name);
    const location = kubeletLocation(node, this.#addressTypes);
    return { client: this.client, clock: this.#clock, location, ...this.#network };
  }

  endpoint(name: string): NodeEndpoint {
    return remoteNode(this.kubelet(name, "pods"));
  }
}
