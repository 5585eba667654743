import { createSecureContext, type SecureContext } from "node:tls";
import { secrets } from "../../api/core/secret/schema.ts";
import { type Service, services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { type IngressClass, ingressClasses } from "../../api/networking/ingress-class/schema.ts";
import { type Ingress, ingresses } from "../../api/networking/ingress/schema.ts";
import { allSynced } from "../../client/all-synced.ts";
import { Client } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import { hasReason } from "../../meta/status.ts";
import { sleep } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Env } from "../../util/env.ts";
import { errorText } from "../../util/error-text.ts";
import { yielding } from "../../util/yield.ts";
import { LruMap } from "../../util/lru.ts";
import { Gateway } from "./gateway.ts";
import { certificateOf, type IngressPlan, planIngresses, servedIngresses } from "./plan.ts";

export interface IngressControllerOptions {
  readonly env: Env;
  /** Acts as `ingress-controller`. */
  readonly transport: Transport;
  /** The address of this machine at which Ingresses are served. */
  readonly address: string;
  readonly ports: { readonly http: number; readonly https: number };
  readonly nodeName: string;
}

/** Changes within this time are carried out together. */
const gatherMs = 10;
const retryMs = 5000;
/** The time for which a certificate is used before its Secret is read again. */
const certificateMs = 60_000;
const maxCertificates = 1000;

/** Serves Ingresses of the built-in class. The ports are open while there is at least one. */
export class IngressController {
  readonly #options: IngressControllerOptions;
  readonly #client: Client;
  readonly #ingresses: Informer<Ingress>;
  readonly #classes: Informer<IngressClass>;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #certificates = new LruMap<string, { readonly context: SecureContext; readonly until: number }>(
    maxCertificates,
  );
  #backends: Promise<unknown> | undefined;
  #plan: IngressPlan | undefined;
  #gateway: Gateway | undefined;
  #dirty = true;
  #wake: (() => void) | undefined;

  constructor(options: IngressControllerOptions) {
    const { env, transport } = options;
    this.#options = options;
    this.#client = new Client(transport, { fieldManager: "ingress-controller" });
    this.#ingresses = new Informer(this.#client.of(ingresses), env, { name: "ingresses" });
    this.#classes = new Informer(this.#client.of(ingressClasses), env, { name: "ingressclasses" });
    this.#services = new Informer(this.#client.of(services), env, { name: "services" });
    this.#slices = new Informer(this.#client.of(endpointSlices), env, { name: "endpointslices" });
  }

  /** Runs until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options.env;
    signal.addEventListener("abort", () => this.#touch(), { once: true });
    for (const informer of [this.#ingresses, this.#classes]) informer.addHandler(() => this.#touch());
    const ended = Promise.all([this.#ingresses.run(signal), this.#classes.run(signal)]);
    await allSynced(signal, this.#ingresses, this.#classes);
    while (!signal.aborted) {
      if (!this.#dirty) await new Promise<void>((resolve) => (this.#wake = resolve));
      await sleep(clock, gatherMs, signal);
      if (signal.aborted) break;
      this.#dirty = false;
      try {
        await this.#carryOut(signal);
      } catch (error) {
        log.warn("Ingresses could not be brought up to date", { error: errorText(error) });
        await sleep(clock, retryMs, signal);
        this.#dirty = true;
      }
    }
    await this.#gateway?.close();
    await Promise.all([ended, this.#backends]);
  }

  /** Follows Services and their endpoints from the first Ingress on: most clusters have none. */
  async #followBackends(signal: AbortSignal): Promise<void> {
    if (this.#backends !== undefined) return;
    const informers = [this.#services, this.#slices];
    for (const informer of informers) informer.addHandler(() => this.#touch());
    this.#backends = Promise.all(informers.map((informer) => informer.run(signal)));
    await allSynced(signal, ...informers);
  }

  async #carryOut(signal: AbortSignal): Promise<void> {
    const served = servedIngresses(this.#ingresses.cache.list(), this.#classes.cache.list());
    if (served.length === 0) {
      this.#plan = undefined;
      await this.#gateway?.close();
      this.#gateway = undefined;
      return;
    }
    await this.#followBackends(signal);
    const objects = {
      served,
      services: this.#services.cache.list(),
      slices: this.#slices.cache.list(),
      node: { name: this.#options.nodeName },
    };
    const plan = await yielding(planIngresses(objects));
    this.#plan = plan;
    const options = { ...this.#options, certificate: (host: string) => this.#certificate(host) };
    this.#gateway ??= await Gateway.open(options, plan);
    this.#gateway.update(plan);
    for (const ingress of served) await this.#report(ingress);
  }

  async #report({ metadata, status }: Ingress): Promise<void> {
    const loadBalancer = { ingress: [{ ip: this.#options.address }] };
    if (deepEqual(status.loadBalancer, loadBalancer)) return;
    const { namespace = "", name = "" } = metadata;
    try {
      const own = this.#client.of(ingresses, namespace);
      await own.patch(name, { status: { loadBalancer } }, { type: "merge", subresource: "status" });
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
  }

  async #certificate(host: string): Promise<SecureContext | undefined> {
    const { clock } = this.#options.env;
    const key = this.#plan === undefined ? undefined : certificateOf(this.#plan, host);
    if (key === undefined) return undefined;
    const known = this.#certificates.get(key);
    if (known !== undefined && clock.monotonic() < known.until) return known.context;
    const [namespace = "", name = ""] = key.split("/");
    const { data = {} } = await this.#client.of(secrets, namespace).get(name);
    const [cert, privateKey] = [data["tls.crt"], data["tls.key"]].map((text) =>
      text === undefined ? undefined : Buffer.from(text, "base64"),
    );
    if (cert === undefined || privateKey === undefined)
      throw new Error(`Secret ${key} has no tls.crt and tls.key`);
    const context = createSecureContext({ cert, key: privateKey });
    this.#certificates.set(key, { context, until: clock.monotonic() + certificateMs });
    return context;
  }

  #touch(): void {
    this.#dirty = true;
    this.#wake?.();
  }
}
