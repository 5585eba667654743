import { type Namespace, namespaces } from "../../api/core/namespace/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { type NetworkPolicy, networkPolicies } from "../../api/networking/network-policy/schema.ts";
import { allSynced } from "../../client/all-synced.ts";
import { Client } from "../../client/client.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import { sleep } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { yielding } from "../../util/yield.ts";
import type { PolicyBackend } from "./backend.ts";
import { PolicyIndex } from "./policy-index.ts";

export interface NetworkPolicyControllerOptions {
  readonly env: Env;
  /** Reads Pods, Namespaces and NetworkPolicies, and writes Events. */
  readonly transport: Transport;
  /** The node whose Pods are on this machine. */
  readonly nodeName: string;
  readonly backend: PolicyBackend;
}

/** Changes within this time are carried out together, so that there are at most 50 transactions in a second. */
const gatherMs = 20;
const retryMs = 1000;

/** Keeps a node's rules up to date with the cluster's NetworkPolicies. */
export class NetworkPolicyController {
  readonly #options: NetworkPolicyControllerOptions;
  readonly #index: PolicyIndex;
  readonly #policies: Informer<NetworkPolicy>;
  readonly #pods: Informer<Pod>;
  readonly #namespaces: Informer<Namespace>;
  readonly #events: EventRecorder;
  readonly #whenEnforced = Promise.withResolvers<void>();
  #dirty = true;
  #wake: (() => void) | undefined;

  constructor(options: NetworkPolicyControllerOptions) {
    const { env, transport, nodeName } = options;
    const client = new Client(transport);
    this.#options = options;
    this.#index = new PolicyIndex(nodeName, (policy, problem) => {
      const message = `Connections that the policy allows are refused: ${problem}`;
      this.#events.event(policy, "Warning", "NetworkPolicyTooLarge", message);
    });
    this.#policies = new Informer(client.of(networkPolicies), env, { name: "networkpolicies" });
    this.#pods = new Informer(client.of(pods), env, { name: "pods" });
    this.#namespaces = new Informer(client.of(namespaces), env, { name: "namespaces" });
    const source = { component: "network-policy-controller", host: nodeName };
    this.#events = new EventRecorder(client, env, source);
  }

  /** Resolves once the policies that exist at the start are enforced, or the first attempt has failed. */
  whenEnforced(): Promise<void> {
    return this.#whenEnforced.promise;
  }

  /** Runs until the signal fires. The rules stay, because containers may keep running. */
  async run(signal: AbortSignal): Promise<void> {
    this.#follow();
    signal.addEventListener("abort", () => this.#touch(), { once: true });
    const informers = [this.#policies, this.#pods, this.#namespaces];
    const running = [...informers, this.#events].map((one) => one.run(signal));
    await allSynced(signal, ...informers);
    while (!signal.aborted) {
      await this.#carryOut(signal);
      await this.#nextChange();
      await sleep(this.#options.env.clock, gatherMs, signal);
    }
    this.#whenEnforced.resolve();
    await Promise.all(running);
  }

  /** Brings the rules up to date with all changes so far. */
  async #carryOut(signal: AbortSignal): Promise<void> {
    const { env, backend } = this.#options;
    this.#dirty = false;
    await yielding(this.#index.settle());
    const { state } = this.#index;
    // Without policies no Pod waits for the removal of rules that an earlier process left.
    if (!state.active) this.#whenEnforced.resolve();
    try {
      // The state stays as it is until the next turn settles further changes.
      await backend.sync(state, state.takeChanges());
      this.#whenEnforced.resolve();
    } catch (error) {
      env.log.error("NetworkPolicies could not be brought up to date", { error: String(error) });
      this.#whenEnforced.resolve();
      this.#dirty = true;
      await sleep(env.clock, retryMs, signal);
    }
  }

  #follow(): void {
    this.#policies.addHandler(({ type, object }) => {
      const { namespace = "", name = "" } = object.metadata;
      if (type === "deleted") this.#index.deletePolicy(namespace, name);
      else this.#index.setPolicy(object);
      this.#touch();
    });
    this.#pods.addHandler(({ type, object }) => {
      const { namespace = "", name = "" } = object.metadata;
      if (type === "deleted") this.#index.deletePod(namespace, name);
      else this.#index.setPod(object);
      this.#touch();
    });
    this.#namespaces.addHandler(({ type, object }) => {
      if (type === "deleted") this.#index.deleteNamespace(object.metadata.name ?? "");
      else this.#index.setNamespace(object);
      this.#touch();
    });
  }

  #touch(): void {
    this.#dirty = true;
    this.#wake?.();
  }

  async #nextChange(): Promise<void> {
    if (this.#dirty) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
