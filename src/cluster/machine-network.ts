import type { Transport } from "../client/transport.ts";
import { linkPrefix } from "../kubelet/native/network/link-name.ts";
import type { UserInfo } from "../meta/exchange.ts";
import { forwarder, hostNameServers } from "../network/dns/forward.ts";
import { DnsServer } from "../network/dns/server.ts";
import { HostAddresses } from "../network/host-addresses.ts";
import { thisHost } from "../network/host.ts";
import { IngressController } from "../network/ingress/controller.ts";
import { choosePolicyBackend, type ChosenPolicyBackend } from "../network/policy/choose-backend.ts";
import { NetworkPolicyController } from "../network/policy/controller.ts";
import { chooseBackend, type ChosenBackend } from "../network/services/choose-backend.ts";
import { ServiceProxy } from "../network/services/proxy.ts";
import type { Env } from "../util/env.ts";
import { identities } from "./identities.ts";
import { networkPolicies } from "./kinds-not-acted-on.ts";

export interface PodNetwork {
  /** The Pods' bridge, with a name unique on the machine. Services' addresses are routed to it. */
  readonly bridge: string;
  /** The machine's own address on the bridge, at which Pods reach the API server. */
  readonly gateway: string;
  /** The reason why NetworkPolicies cannot be enforced on it; undefined when they can. */
  readonly unenforced?: string;
}

export interface MachineNetworkOptions {
  readonly env: Env;
  readonly network: PodNetwork;
  readonly nodeName: string;
  /** The range of Services' addresses. */
  readonly serviceCIDR: string;
  readonly clusterDomain: string;
  readonly dnsAddress: string | undefined;
  readonly ingressAddress: string | undefined;
  /** Returns a connection to the API server with an identity. */
  readonly transport: (user: UserInfo) => Transport;
  /** Keeps a component running until the cluster ends. */
  readonly keep: (name: string, running: Promise<unknown>) => void;
  /** The kinds of which a creation warns that nothing acts on them. */
  readonly notActedOn: Map<string, string>;
}

/** The cluster's network on this machine: Services, DNS, Ingresses and NetworkPolicies. */
export class MachineNetwork {
  services: ChosenBackend | undefined;
  policies: ChosenPolicyBackend | undefined;
  readonly #options: MachineNetworkOptions;

  constructor(options: MachineNetworkOptions) {
    this.#options = options;
  }

  async startServices(signal: AbortSignal): Promise<void> {
    const { env, network, nodeName, serviceCIDR, transport, keep } = this.#options;
    const addresses = new HostAddresses(thisHost, network.bridge);
    const unguard = await addresses.guard(serviceCIDR);
    const chosen = await chooseBackend({ ...network, env, host: thisHost, addresses, serviceCIDR });
    const { backend, why } = (this.services = chosen);
    env.log.info("a backend for Services is chosen", { backend: backend.name, why });
    const proxy = new ServiceProxy({
      env,
      transport: transport(identities.proxy),
      podsTransport: transport(identities.node(nodeName)),
      nodeName,
      backend,
    });
    keep("the service proxy", proxy.run(signal).finally(unguard));
    await this.#startIngresses(addresses, signal);
    await this.#startDns(addresses, signal);
  }

  async #startIngresses(addresses: HostAddresses, signal: AbortSignal): Promise<void> {
    const { env, nodeName, ingressAddress: address, transport, keep } = this.#options;
    if (address === undefined) return;
    if (!address.startsWith("127.")) await addresses.add(address);
    const ports = { http: 80, https: 443 };
    const own = { env, transport: transport(identities.ingress), address, ports, nodeName };
    keep("the controller of Ingresses", new IngressController(own).run(signal));
  }

  async #startDns(addresses: HostAddresses, signal: AbortSignal): Promise<void> {
    const { env, dnsAddress: address, clusterDomain, transport, keep } = this.#options;
    if (address === undefined) return;
    await addresses.add(address);
    const dns = new DnsServer({
      env,
      transport: transport(identities.dns),
      address,
      port: 53,
      domain: clusterDomain,
      forward: forwarder(env.clock, hostNameServers()),
    });
    keep("cluster DNS", dns.run(signal));
  }

  choosePolicies(): Promise<ChosenPolicyBackend> {
    const { bridge, unenforced } = this.#options.network;
    if (unenforced !== undefined) {
      const mend = "use CNI plugins that enforce NetworkPolicies";
      return Promise.resolve({ backend: undefined, why: unenforced, mend });
    }
    const services = this.services?.backend.name ?? "";
    return choosePolicyBackend({ host: thisHost, bridge, linkPrefix, services });
  }

  /** Resolves when the Pods that start from now on are isolated before their containers run. */
  async startPolicies(chosen: ChosenPolicyBackend, signal: AbortSignal): Promise<void> {
    const { env, nodeName, transport, keep, notActedOn } = this.#options;
    const { backend, why } = (this.policies = chosen);
    if (backend === undefined) {
      notActedOn.set(networkPolicies, `does not enforce it on this machine: ${why}`);
      env.log.warn("NetworkPolicies are not enforced", { why });
      return;
    }
    notActedOn.delete(networkPolicies);
    const own = { env, transport: transport(identities.networkPolicy), nodeName, backend };
    const controller = new NetworkPolicyController(own);
    keep("network policies", controller.run(signal));
    await controller.whenEnforced();
  }
}
