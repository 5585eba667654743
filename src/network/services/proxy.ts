import { type Node, nodes } from "../../api/core/node/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { type Service, services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { allSynced } from "../../client/all-synced.ts";
import { Client } from "../../client/client.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import { sleep } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Env } from "../../util/env.ts";
import type { Refusal, ServiceBackend } from "./backend.ts";
import type { ProxyNode } from "./endpoint-selection.ts";
import { HealthCheckServers, planHealthChecks } from "./health-checks.ts";
import { type HostPortConflict, planHostPorts } from "./host-ports.ts";
import { ServicePlanner, type ServicePort } from "./plan.ts";

export interface ServiceProxyOptions {
  readonly env: Env;
  /** Acts as `system:kube-proxy`. */
  readonly transport: Transport;
  /** Reads the node's Pods, whose host ports the proxy serves; undefined: it serves none. */
  readonly podsTransport: Transport | undefined;
  /** The node that the proxy runs on. */
  readonly nodeName: string;
  readonly backend: ServiceBackend;
}

/** Changes within this time are carried out together. */
const gatherMs = 10;
const retryMs = 1000;
/** The time between checks of the machine; upstream synchronizes all after it (`--iptables-sync-period`). */
const checkMs = 30_000;
const zoneLabel = "topology.kubernetes.io/zone";

/** Updates a backend with the cluster's Services and their endpoints (upstream's kube-proxy). */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod> | undefined;
  readonly #healthChecks: HealthCheckServers;
  readonly #events: EventRecorder;
  readonly #planner = new ServicePlanner();
  #present: readonly ServicePort[] | undefined;
  #refusals: readonly Refusal[] = [];
  #reported: ReadonlySet<string> = new Set();
  #isHealthy = false;
  #dirty = true;
  #wake: (() => void) | undefined;

  constructor(options: ServiceProxyOptions) {
    const { env, transport, podsTransport, nodeName } = options;
    const client = new Client(transport);
    this.#options = options;
    this.#services = new Informer(client.of(services), env, { name: "services" });
    this.#slices = new Informer(client.of(endpointSlices), env, { name: "endpointslices" });
    this.#nodes = new Informer(client.of(nodes), env, {
      name: "nodes",
      fieldSelector: `metadata.name=${nodeName}`,
    });
    if (podsTransport !== undefined) {
      const fieldSelector = `spec.nodeName=${nodeName}`;
      const own = new Client(podsTransport).of(pods);
      this.#pods = new Informer(own, env, { name: "pods", fieldSelector });
    }
    this.#events = new EventRecorder(client, env, { component: "kube-proxy", host: nodeName });
    this.#healthChecks = new HealthCheckServers(env, () => this.#isHealthy);
  }

  /** Runs until the signal fires, then closes the backend. */
  async run(signal: AbortSignal): Promise<void> {
    const { env, backend } = this.#options;
    signal.addEventListener("abort", () => this.#touch(), { once: true });
    const running = this.#follow(signal);
    await running.synced;
    while (!signal.aborted) {
      await this.#nextChange();
      await sleep(env.clock, gatherMs, signal);
      this.#dirty = false;
      if (signal.aborted) break;
      await this.#carryOut(signal);
    }
    await backend.close().catch((error: unknown) => this.#tell("Cannot remove the Services", error));
    await this.#healthChecks.close();
    await running.ended;
  }

  #follow(signal: AbortSignal) {
    this.#services.addHandler(() => this.#touch());
    this.#slices.addHandler(() => this.#touch());
    this.#nodes.addHandler(() => this.#touch());
    this.#pods?.addHandler(() => this.#touch());
    const pod = this.#pods === undefined ? [] : [this.#pods];
    const informers = [this.#services, this.#slices, this.#nodes, ...pod];
    const ended = Promise.all([...informers, this.#events].map((one) => one.run(signal)));
    return { ended, synced: allSynced(signal, ...informers) };
  }

  async #carryOut(signal: AbortSignal): Promise<void> {
    const { env, backend, nodeName } = this.#options;
    const zone = this.#nodes.cache.list()[0]?.metadata.labels?.[zoneLabel];
    const node: ProxyNode = { name: nodeName, zone };
    const [all, slices] = [this.#services.cache.list(), this.#slices.cache.list()];
    const { ports, conflicts } = planHostPorts(this.#pods?.cache.list() ?? []);
    const plan = [...ports, ...this.#planner.plan(all, slices, node)];
    try {
      if (!deepEqual(plan, this.#present)) this.#refusals = await backend.sync(plan);
      this.#present = plan;
      this.#report(conflicts);
      this.#isHealthy = true;
    } catch (error) {
      this.#present = undefined;
      this.#isHealthy = false;
      this.#tell("Services could not be brought up to date", error);
      this.#dirty = true;
    }
    await this.#healthChecks.sync(planHealthChecks(all, slices, node));
    if (this.#dirty && !this.#isHealthy) await sleep(env.clock, retryMs, signal);
  }

  /** Reports ports that are not served by Events, once each until they change. */
  #report(conflicts: readonly HostPortConflict[]): void {
    const problems = [
      ...conflicts.map(({ pod, port, served }) => {
        const message = `Host port ${port.port}/${port.protocol} is not served: ${served.name} has it`;
        return { about: pod, reason: "HostPortConflict", message };
      }),
      ...this.#refusals.flatMap(({ service, isHostPort, where, problem }) => {
        const key = service.slice(0, service.lastIndexOf(":"));
        const about = isHostPort ? this.#pods?.cache.get(key) : this.#services.cache.get(key);
        const reason = isHostPort ? "HostPortNotServed" : "ServicePortNotServed";
        return about === undefined ? [] : [{ about, reason, message: `${where} is not served: ${problem}` }];
      }),
    ].map((one) => [`${one.about.metadata.uid} ${one.message}`, one] as const);
    for (const [key, { about, reason, message }] of problems)
      if (!this.#reported.has(key)) this.#events.event(about, "Warning", reason, message);
    this.#reported = new Set(problems.map(([key]) => key));
  }

  #touch(): void {
    this.#dirty = true;
    this.#wake?.();
  }

  #tell(message: string, error: unknown): void {
    const { env, backend } = this.#options;
    env.log.error(message, { backend: backend.name, error: String(error) });
  }

  /** Resolves at a change of the objects, or of what the backend made on the machine. */
  async #nextChange(): Promise<void> {
    const { clock } = this.#options.env;
    while (!this.#dirty) {
      const timer = clock.after(checkMs, () => this.#wake?.());
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
      timer.cancel();
      if (!this.#dirty && !(await this.#isIntact())) {
        this.#present = undefined;
        this.#dirty = true;
      }
    }
  }

  async #isIntact(): Promise<boolean> {
    try {
      return await this.#options.backend.isIntact();
    } catch (error) {
      this.#tell("Cannot check the Services", error);
      return true;
    }
  }
}
