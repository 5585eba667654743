import type { Env } from "../../util/env.ts";
import { LruMap } from "../../util/lru.ts";
import { randomInt } from "../../util/random.ts";
import type { ServiceEndpoint } from "./endpoint-selection.ts";
import { endpointsFor, type Front, type NodeAddresses } from "./userspace-fronts.ts";

/** The greatest number of clients whose choices are remembered. */
const maxClients = 4096;

/** The parts of a front that a choice depends on. */
export type Balanced = Pick<Front, "endpoints" | "outside" | "sources" | "affinityMs">;

interface Choice {
  readonly endpoint: ServiceEndpoint;
  readonly until: number;
}

/** Chooses an endpoint for each connection: at random, or with session affinity the client's previous one. */
export class Balancer {
  readonly #env: Pick<Env, "clock" | "random">;
  readonly #choices = new LruMap<string, Choice>(maxClients);
  #front: Balanced;
  #node: NodeAddresses;

  constructor(front: Balanced, node: NodeAddresses, env: Pick<Env, "clock" | "random">) {
    this.#front = front;
    this.#node = node;
    this.#env = env;
  }

  update(front: Balanced, node: NodeAddresses): void {
    this.#front = front;
    this.#node = node;
  }

  /** Reports whether the client may still reach the endpoint. */
  has(client: string, endpoint: ServiceEndpoint): boolean {
    return isAmong(endpoint, this.#endpointsFor(client));
  }

  /** Returns undefined when the Service has no endpoint for the client. */
  pick(client: string): ServiceEndpoint | undefined {
    const { affinityMs } = this.#front;
    const endpoints = this.#endpointsFor(client);
    if (affinityMs === 0) return this.#any(endpoints);
    const now = this.#env.clock.monotonic();
    const choice = this.#choices.get(client);
    const isKept = choice !== undefined && now < choice.until && isAmong(choice.endpoint, endpoints);
    const endpoint = isKept ? choice.endpoint : this.#any(endpoints);
    if (endpoint !== undefined) this.#choices.set(client, { endpoint, until: now + affinityMs });
    return endpoint;
  }

  #endpointsFor(client: string): readonly ServiceEndpoint[] {
    return endpointsFor(this.#front, client, this.#node) ?? [];
  }

  #any(endpoints: readonly ServiceEndpoint[]): ServiceEndpoint | undefined {
    return endpoints[randomInt(this.#env.random, endpoints.length)];
  }
}

function isAmong({ address, port }: ServiceEndpoint, endpoints: readonly ServiceEndpoint[]): boolean {
  return endpoints.some((one) => one.address === address && one.port === port);
}
