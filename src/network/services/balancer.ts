import type { Env } from "../../util/env.ts";
import { LruMap } from "../../util/lru.ts";
import { randomInt } from "../../util/random.ts";
import type { ServiceEndpoint, ServicePort } from "./plan.ts";

/** The greatest number of clients whose choices are remembered. */
const maxClients = 4096;

interface Choice {
  readonly endpoint: ServiceEndpoint;
  readonly until: number;
}

/** Chooses an endpoint for each connection: at random, or with session affinity the client's previous one. */
export class Balancer {
  readonly #env: Pick<Env, "clock" | "random">;
  readonly #choices = new LruMap<string, Choice>(maxClients);
  #port: ServicePort;

  constructor(port: ServicePort, env: Pick<Env, "clock" | "random">) {
    this.#port = port;
    this.#env = env;
  }

  update(port: ServicePort): void {
    this.#port = port;
  }

  /** Reports whether the plan still has the endpoint. */
  has({ address, port }: ServiceEndpoint): boolean {
    return this.#port.endpoints.some((one) => one.address === address && one.port === port);
  }

  /** Returns undefined when the Service has no endpoint. */
  pick(client: string): ServiceEndpoint | undefined {
    const { affinityMs } = this.#port;
    if (affinityMs === 0) return this.#any();
    const now = this.#env.clock.monotonic();
    const choice = this.#choices.get(client);
    const isKept = choice !== undefined && now < choice.until && this.has(choice.endpoint);
    const endpoint = isKept ? choice.endpoint : this.#any();
    if (endpoint !== undefined) this.#choices.set(client, { endpoint, until: now + affinityMs });
    return endpoint;
  }

  #any(): ServiceEndpoint | undefined {
    const { endpoints } = this.#port;
    return endpoints[randomInt(this.#env.random, endpoints.length)];
  }
}
