import { type Service, services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { allSynced } from "../../client/all-synced.ts";
import { Client } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import { sleep } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Env } from "../../util/env.ts";
import type { ServiceBackend } from "./backend.ts";
import { planServices, type ServicePort } from "./plan.ts";

export interface ServiceProxyOptions {
  readonly env: Env;
  /** Acts as `system:kube-proxy`. */
  readonly transport: Transport;
  readonly backend: ServiceBackend;
}

/** Changes within this time are carried out together. */
const gatherMs = 10;
const retryMs = 1000;

/** Updates a backend with the cluster's Services and their endpoints (upstream's kube-proxy). */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  #dirty = true;
  #wake: (() => void) | undefined;

  constructor(options: ServiceProxyOptions) {
    const { env, transport } = options;
    const client = new Client(transport);
    this.#options = options;
    this.#services = new Informer(client.of(services), env, { name: "services" });
    this.#slices = new Informer(client.of(endpointSlices), env, { name: "endpointslices" });
  }

  /** Runs until the signal fires, then closes the backend. */
  async run(signal: AbortSignal): Promise<void> {
    const { env, backend } = this.#options;
    const tell = (message: string, error: unknown) =>
      env.log.error(message, { backend: backend.name, error: String(error) });
    const touch = () => {
      this.#dirty = true;
      this.#wake?.();
    };
    this.#services.addHandler(touch);
    this.#slices.addHandler(touch);
    signal.addEventListener("abort", touch, { once: true });
    const informers = [this.#services.run(signal), this.#slices.run(signal)];
    await allSynced(signal, this.#services, this.#slices);
    let present: readonly ServicePort[] | undefined;
    while (!signal.aborted) {
      await this.#nextChange();
      await sleep(env.clock, gatherMs, signal);
      this.#dirty = false;
      if (signal.aborted) break;
      const plan = planServices(this.#services.cache.list(), this.#slices.cache.list());
      if (deepEqual(plan, present)) continue;
      try {
        await backend.sync(plan);
        present = plan;
      } catch (error) {
        tell("Services could not be brought up to date", error);
        this.#dirty = true;
        await sleep(env.clock, retryMs, signal);
      }
    }
    await backend.close().catch((error: unknown) => tell("Cannot remove the Services", error));
    await Promise.all(informers);
  }

  async #nextChange(): Promise<void> {
    if (this.#dirty) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
