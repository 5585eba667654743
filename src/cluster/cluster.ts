import { compileSelector } from "../expressions/device-selectors.ts";
import type { AddressInfo } from "node:net";
import { metricsRegistrations } from "../api/metrics/registrations.ts";
import { registrations } from "../api/registrations.ts";
import { ApiServer } from "../apiserver/server.ts";
import { admissionPlugins } from "../apiserver/admission/plugins.ts";
import { warnOfKindsNotActedOn } from "../apiserver/admission/not-acted-on.ts";
import { certificateAuthenticator, componentAuthenticator } from "../apiserver/authn/caller.ts";
import { RbacAuthorizer } from "../apiserver/authz/rbac.ts";
import { tokenForSecret } from "../apiserver/authn/service-account-tokens.ts";
import { listen, type ListenerOptions } from "../apiserver/http/listener.ts";
import type { RemoteNodesOptions } from "../apiserver/nodes/remote-nodes.ts";
import type { Codec } from "../apiserver/resources/codec.ts";
import { upgradeHandler } from "../apiserver/streaming/upgrade.ts";
import { type SendHttps, sendHttps } from "../apiserver/webhooks/https.ts";
import { EventCorrelator } from "../client/event-correlator.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process.ts";
import type { Transport } from "../client/transport.ts";
import type { NodeNetwork } from "../controllers/node-ipam/controller.ts";
import { localPathName } from "../controllers/local-path/controller.ts";
import type { LocalDirectories } from "../controllers/local-path/directories.ts";
import type { OwnNodes } from "./local-directories.ts";
import { publishIngressClass, publishLocalPathClass } from "./publish-default-classes.ts";
import { allByDefault, isSelected, type Selection } from "../controllers/selection.ts";
import { Kubelet } from "../kubelet/kubelet.ts";
import { kubeletEndpoint } from "../kubelet/endpoint/endpoint.ts";
import type { NodeEndpoint } from "../meta/node-endpoint.ts";
import type { UserInfo } from "../meta/exchange.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { Store } from "../store/store.ts";
import type { Env } from "../util/env.ts";
import { type Network, nthAddress, parseNetwork } from "../util/ipv4.ts";
import { ingressAddressOf } from "../controllers/service-load-balancer/plan.ts";
import type { ChosenPolicyBackend } from "../network/policy/choose-backend.ts";
import type { ChosenBackend } from "../network/services/choose-backend.ts";
import { bootstrap, type WellKnownServices } from "./bootstrap.ts";
import { runControllers } from "./controller-manager.ts";
import { failedNode } from "./failed-node.ts";
import { identities } from "./identities.ts";
import { csiDrivers, kindsNotActedOn } from "./kinds-not-acted-on.ts";
import type { KubeletClientSetup } from "./kubelet-client-flags.ts";
import type { NodeSetup } from "./node-setup.ts";
import { MachineNetwork, type PodNetwork } from "./machine-network.ts";
import type { Pki } from "./pki.ts";
import { ServedKubelets } from "./served-kubelets.ts";
import { untilPodsAreAdmitted } from "./pods-admitted.ts";
import { repairRegularly } from "./service-cidr.ts";
import { signCertificate } from "./sign-certificate.ts";

export interface ClusterOptions {
  readonly env: Env;
  /** Made with `codec.stamp`. Closed with the cluster. */
  readonly store: Store;
  readonly codec: Codec;
  readonly pki: Pki;
  /** The HTTPS address; undefined for a cluster that only this process uses. */
  readonly http: HttpOptions | undefined;
  /** The range of Services' addresses. */
  readonly serviceCIDR: string;
  readonly clusterDomain: string;
  /** An address of this machine at which other machines could reach the API server. */
  readonly apiServerAddress: string;
  /** The address of the cluster's DNS service; undefined without one. */
  readonly dnsAddress: string | undefined;
  /** The controllers that run. Default: all that run by default. */
  readonly controllers?: Selection;
  /** False leaves scheduling to a scheduler elsewhere. */
  readonly schedules?: boolean;
  /** The ranges from which nodes get theirs; undefined where nodes bring their own. */
  readonly nodeNetwork?: Omit<NodeNetwork, "serviceCIDRs"> | undefined;
  /** The range of load balancers' addresses; undefined: such Services get none. */
  readonly loadBalancerRange?: Network | undefined;
  /** The time after which Events are deleted; Infinity keeps them. Default: an hour. */
  readonly eventTtlMs?: number | undefined;
  /** The verification and the addresses of kubelets in other processes. Default: upstream's. */
  readonly kubeletClient?: KubeletClientSetup | undefined;
  /** Makes the directories of local volumes, for the nodes that it is given. Undefined: there is no such storage. */
  readonly localDirectories?: ((nodes: OwnNodes) => LocalDirectories) | undefined;
  /** The network of this machine's Pods; undefined without real containers. */
  readonly network?: PodNetwork | undefined;
}

interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Returns the descriptor of a socket that listens there already, in another network than the Pods'; undefined without one. */
  readonly listener?: () => number | undefined;
}

/**
 * A whole cluster in this process: API server, controllers, scheduler and nodes, each with its own identity.
 */
export class Cluster {
  readonly server: ApiServer;
  readonly #options: ClusterOptions;
  readonly #kubelets = new Map<string, NodeEndpoint>();
  /**
   * Shared, because each correlator remembers thousands of Events, and a process may have a thousand nodes.
   */
  readonly #nodeEvents = new EventCorrelator();
  readonly #served: ServedKubelets;
  readonly #nodeStops = new Map<string, AbortController>();
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  /** The names of this process's nodes; undefined before they are started. */
  #nodes: ReadonlySet<string> | undefined;
  #preparing: Promise<void> = Promise.resolve();
  /** The health that componentstatuses show: undefined while a component runs, else the reason of its end. */
  readonly #components = new Map<string, unknown>();
  #starting: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  #address: AddressInfo | undefined;
  #network: MachineNetwork | undefined;
  readonly #notActedOn = new Map(kindsNotActedOn);

  constructor(options: ClusterOptions) {
    const { env, store, codec, pki } = options;
    this.#options = options;
    this.#served = new ServedKubelets({ ...options, clientCa: pki.ca.certificate });
    if (options.network !== undefined) this.#notActedOn.delete(csiDrivers);
    this.server = new ApiServer({
      env,
      store,
      codec,
      registrations: [...registrations, ...metricsRegistrations],
      admission: [...admissionPlugins(options), warnOfKindsNotActedOn(this.#notActedOn)],
      authenticators: [componentAuthenticator, certificateAuthenticator],
      serviceAccountKeys: pki.serviceAccount,
      authorizer: (services) => new RbacAuthorizer(services),
      nodes: (name) => this.#kubelets.get(name),
      reachesPods: options.network !== undefined,
      kubelets: options.http === undefined ? undefined : kubeletsOf(pki, options.kubeletClient),
      components: () => this.#components,
      sendHttps: options.network === undefined ? outsideOnly : sendHttps,
      eventTtlMs: options.eventTtlMs,
    });
  }

  /** The HTTPS address; undefined without HTTPS. */
  get address(): AddressInfo | undefined {
    return this.#address;
  }

  /** The backend for Services; undefined without real containers. */
  get services(): ChosenBackend | undefined {
    return this.#network?.services;
  }

  /** The backend for NetworkPolicies, or the reason for none; undefined without real containers. */
  get policies(): ChosenPolicyBackend | undefined {
    return this.#network?.policies;
  }

  /** Returns a transport with any identity, for components and tests. */
  transport(user: UserInfo): Transport {
    return new InProcessTransport(this.server.handle, user);
  }

  /**
   * Resolves when the API answers. Called before `start`, so that a taken port ends a start before nodes are
   * set up. Work that needs no node begins meanwhile.
   */
  async serve(): Promise<void> {
    const { signal } = this.#stop;
    const { http } = this.#options;
    if (http !== undefined)
      this.#address = await this.#listen({ ...http, descriptor: http.listener?.() }, signal);
    this.#keep("the API server", this.server.run(signal));
    this.#preparing = this.#prepare(signal);
    // `start` reports the error.
    this.#preparing.catch(() => {});
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    const { env, pki } = this.#options;
    const client = new Client(this.transport(identities.bootstrap), { fieldManager: "kube-apiserver" });
    const authentication = { clientCa: pki.ca.certificate, now: env.clock.now() };
    await bootstrap(client, this.#wellKnown(), authentication);
    if (this.#localDirectories !== undefined) await publishLocalPathClass(client);
    if (this.#ingressAddress !== undefined) await publishIngressClass(client);
    signal.throwIfAborted();
    this.#keep("the repair of addresses", repairRegularly(client, env, signal));
    if (this.#selection.length > 0) this.#startControllers(signal);
    if (this.#options.schedules !== false) {
      const scheduler = new Scheduler({
        env,
        transport: this.transport(identities.scheduler),
        compileSelector,
      });
      this.#keep("the scheduler", this.#report("scheduler", scheduler.run(signal)));
    }
    if (isSelected(this.#selection, "serviceaccount-controller")) await untilPodsAreAdmitted(client, signal);
  }

  /** Resolves when every component runs. Rejects when the cluster is stopped before. */
  start(nodes: readonly NodeSetup[]): Promise<void> {
    this.#starting = this.#start(nodes, this.#stop.signal);
    return this.#starting;
  }

  async #start(nodes: readonly NodeSetup[], signal: AbortSignal): Promise<void> {
    const { network } = this.#options;
    this.#served.prepare(nodes);
    await this.#listenForPods(signal);
    const [node] = nodes;
    if (network !== undefined && node !== undefined) {
      this.#network = this.#networkOf(network, node.nodeName);
      await this.#network.startServices(signal);
    }
    const policies = this.#network?.choosePolicies();
    await this.#preparing;
    if (policies !== undefined) await this.#network?.startPolicies(await policies, signal);
    signal.throwIfAborted();
    for (const node of nodes) this.#startNode(node, signal);
    this.#nodes = new Set(nodes.map(({ nodeName }) => nodeName));
  }

  /** Stops a node's agent as a power failure of its machine would. @throws Error when no such node runs */
  failNode(name: string): void {
    const stop = this.#nodeStops.get(name);
    if (stop === undefined) throw new Error(`Cannot fail node ${name}: no such node runs`);
    this.#nodeStops.delete(name);
    this.#kubelets.set(name, failedNode(name));
    stop.abort();
  }

  /**
   * Stops everything in order, so that each part can finish; a start in progress too. Containers keep
   * running.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([this.#preparing, this.#starting]);
    await Promise.allSettled(this.#running);
    await this.#options.store.close();
  }

  /** Listens on the Pods' gateway, unless the server already listens there. */
  async #listenForPods(signal: AbortSignal): Promise<void> {
    const { http, network } = this.#options;
    const isElsewhere = http?.listener?.() !== undefined;
    const everywhere = !isElsewhere && (http?.host === "0.0.0.0" || http?.host === "::");
    if (network === undefined || this.#address === undefined || everywhere) return;
    await this.#listen({ host: network.gateway, port: this.#address.port }, signal);
  }

  #listen(
    where: Pick<ListenerOptions, "host" | "port" | "descriptor">,
    signal: AbortSignal,
  ): Promise<AddressInfo> {
    const { env, pki } = this.#options;
    const options = {
      ...where,
      handler: this.server.handle,
      upgrade: upgradeHandler(this.server),
      log: env.log,
      clock: env.clock,
      key: pki.server.key,
      certificate: pki.server.certificate,
      clientCa: pki.ca.certificate,
    };
    return listen(options, signal);
  }

  get #selection(): Selection {
    return this.#options.controllers ?? allByDefault;
  }

  /** The directories of local volumes, where their provisioner runs. */
  get #localDirectories(): LocalDirectories | undefined {
    if (!isSelected(this.#selection, localPathName)) return undefined;
    return this.#options.localDirectories?.(() => this.#nodes);
  }

  #wellKnown(): WellKnownServices {
    const { dnsAddress, network, apiServerAddress, serviceCIDR } = this.#options;
    const port = this.#address?.port;
    const address = network?.gateway ?? apiServerAddress;
    // By convention, the first address of the range is the API server's.
    const clusterIP = nthAddress(parseNetwork(serviceCIDR), 1);
    return {
      apiServer: port === undefined ? undefined : { clusterIP, address, port },
      dns: dnsAddress,
      serviceCIDR,
    };
  }

  /** The address at which Ingresses are served; undefined where nothing serves them. */
  get #ingressAddress(): string | undefined {
    const { network, loadBalancerRange } = this.#options;
    return network === undefined || loadBalancerRange === undefined
      ? undefined
      : ingressAddressOf(loadBalancerRange);
  }

  #networkOf(network: PodNetwork, nodeName: string): MachineNetwork {
    const { env, serviceCIDR, clusterDomain, dnsAddress } = this.#options;
    return new MachineNetwork({
      env,
      network,
      nodeName,
      serviceCIDR,
      clusterDomain,
      dnsAddress,
      ingressAddress: this.#ingressAddress,
      transport: (user) => this.transport(user),
      keep: (name, running) => this.#keep(name, running),
      notActedOn: this.#notActedOn,
    });
  }

  #startControllers(signal: AbortSignal): void {
    const { env, pki, nodeNetwork, serviceCIDR, loadBalancerRange } = this.#options;
    const { tokens } = this.server.services;
    const running = runControllers(
      {
        env,
        transport: this.transport(identities.controllerManager),
        transportFor: (name) => this.transport(identities.controller(name)),
        rootCertificate: pki.ca.certificate,
        signToken: (...options) => tokenForSecret(tokens.keys, ...options),
        signing: {
          certificate: pki.ca.certificate,
          sign: (template) => signCertificate(pki.ca, template),
        },
        nodeNetwork: nodeNetwork === undefined ? undefined : { ...nodeNetwork, serviceCIDRs: [serviceCIDR] },
        localDirectories: this.#localDirectories,
        loadBalancerRange,
        selection: this.#selection,
      },
      signal,
    );
    this.#keep("the controller manager", this.#report("controller-manager", running));
  }

  #startNode(node: NodeSetup, signal: AbortSignal): void {
    const { env, dnsAddress, clusterDomain } = this.#options;
    const served = { port: node.port };
    const kubelet = new Kubelet({
      ...node,
      get port() {
        return served.port;
      },
      env: { ...env, log: env.log.with({ node: node.nodeName }) },
      transport: this.transport(identities.node(node.nodeName)),
      dns: { address: dnsAddress, domain: clusterDomain },
      eventCorrelator: this.#nodeEvents,
    });
    const stop = new AbortController();
    this.#nodeStops.set(node.nodeName, stop);
    this.#kubelets.set(node.nodeName, kubeletEndpoint(kubelet));
    const ends = AbortSignal.any([signal, stop.signal]);
    const run = async () => {
      // A simulated node is reached by this process alone.
      if (node.runtime.check === undefined) served.port = await this.#served.serve(kubelet, ends);
      await kubelet.run(ends);
    };
    this.#keep(`the node ${node.nodeName}`, run());
  }

  /** Shows a component's health as long as the API server runs. */
  async #report(name: string, running: Promise<unknown>): Promise<void> {
    this.#components.set(name, undefined);
    try {
      await running;
      this.#components.set(name, "it has ended");
    } catch (error) {
      this.#components.set(name, error);
      throw error;
    }
  }

  /** Logs an error when a component ends before it was stopped. */
  #keep(name: string, running: Promise<unknown>): void {
    const { log } = this.#options.env;
    const watched = running.catch((error: unknown) => {
      if (!this.#stop.signal.aborted)
        log.error(`${name} ended`, { error: error instanceof Error ? error.stack : error });
    });
    this.#running.push(watched);
  }
}

function kubeletsOf(
  { kubeletClient }: Pki,
  { addressTypes, authorities }: KubeletClientSetup = {},
): RemoteNodesOptions {
  return { credentials: { ...kubeletClient, authorities }, addressTypes };
}

/**
 * Refuses addresses in the cluster: without real containers they are invented, and may belong to any other
 * machine.
 */
const outsideOnly: SendHttps = (request) => {
  if (request.address === undefined) return sendHttps(request);
  const { host: address, port } = request.address;
  return Promise.reject(Object.assign(new Error("no such host"), { code: "EHOSTUNREACH", address, port }));
};
