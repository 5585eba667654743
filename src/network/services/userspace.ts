import { connect, createServer, type Server, type Socket } from "node:net";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Env } from "../../util/env.ts";
import type { HostAddresses } from "../host-addresses.ts";
import type { Refusal, ServiceBackend } from "./backend.ts";
import { Balancer } from "./balancer.ts";
import type { ServicePort } from "./plan.ts";
import { listenUdp } from "./udp-listener.ts";
import { type Front, frontsOf, type NodeAddresses } from "./userspace-fronts.ts";

export interface UserspaceOptions {
  readonly env: Env;
  readonly addresses: Pick<HostAddresses, "add" | "remove" | "holds">;
  /** Returns the present addresses of the machine. */
  readonly nodeAddresses: () => NodeAddresses;
}

/** The server of one front. */
interface Listener {
  readonly balancer: Balancer;
  readonly front: Front;
  close(): Promise<void>;
}

/**
 * Serves Services without kernel rules: this process listens on their addresses and copies bytes. It works
 * wherever `ip` does; the endpoint sees the node's address, not the client's. An external address is served
 * only if the machine has it, and SCTP is not.
 */
export class UserspaceBackend implements ServiceBackend {
  readonly name = "userspace";
  readonly #env: Env;
  readonly #addresses: UserspaceOptions["addresses"];
  readonly #nodeAddresses: UserspaceOptions["nodeAddresses"];
  #node: NodeAddresses | undefined;
  readonly #listeners = new Map<string, Listener>();

  constructor({ env, addresses, nodeAddresses }: UserspaceOptions) {
    this.#env = env;
    this.#addresses = addresses;
    this.#nodeAddresses = nodeAddresses;
  }

  async sync(plan: readonly ServicePort[]): Promise<readonly Refusal[]> {
    const node = (this.#node = this.#nodeAddresses());
    const wanted = frontsOf(plan, node);
    for (const [key, listener] of this.#listeners) {
      const front = wanted.get(key);
      if (front !== undefined) continue;
      // A port without endpoints keeps its listener as long as its Service exists: it resets connections.
      if (isPlanned(plan, listener.front)) {
        listener.balancer.update({ ...listener.front, endpoints: [], outside: [] }, node);
        continue;
      }
      this.#listeners.delete(key);
      await listener.close();
      if (listener.front.isClusterIP) await this.#addresses.remove(listener.front.address);
    }
    const refusals: Refusal[] = [];
    for (const [key, front] of wanted) {
      const present = this.#listeners.get(key);
      if (present !== undefined) present.balancer.update(front, node);
      else refusals.push(...(await this.#open(key, front, node)));
    }
    return refusals;
  }

  /** Node ports listen on each address of the machine, which may get others. */
  async isIntact(): Promise<boolean> {
    return deepEqual(this.#nodeAddresses(), this.#node);
  }

  async close(): Promise<void> {
    await this.sync([]);
  }

  async #open(key: string, front: Front, node: NodeAddresses): Promise<readonly Refusal[]> {
    const balancer = new Balancer(front, node, this.#env);
    if (front.isClusterIP) await this.#addresses.add(front.address);
    try {
      this.#listeners.set(key, { balancer, front, close: await this.#listen(front, balancer) });
      return [];
    } catch (error) {
      if (front.isClusterIP) await this.#addresses.remove(front.address);
      const { service, isHostPort } = front;
      const where = `${front.address}:${front.port}`;
      const problem = error instanceof Error ? error.message : String(error);
      this.#env.log.warn("Cannot listen on a Service's port", { service, where, problem });
      return [{ service, isHostPort, where, problem }];
    }
  }

  #listen(front: Front, balancer: Balancer): Promise<() => Promise<void>> {
    switch (front.protocol) {
      case "TCP":
        return listenTcp(front, balancer);
      case "UDP":
        return listenUdp(front, balancer, this.#env.clock);
      case "SCTP":
        throw new Error("SCTP needs the nftables backend");
    }
  }
}

/** Reports whether the plan has the front's Service, perhaps without endpoints. */
function isPlanned(plan: readonly ServicePort[], { address, port, protocol, isClusterIP }: Front): boolean {
  return (
    isClusterIP &&
    plan.some((one) => one.address === address && one.port === port && one.protocol === protocol)
  );
}

async function listenTcp({ address, port }: Front, balancer: Balancer): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const endpoint = balancer.pick(client.remoteAddress ?? "");
    if (endpoint === undefined) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: endpoint.address, port: endpoint.port, allowHalfOpen: true });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.once("close", () => sockets.delete(one));
      // An endpoint's refusal resets the client's connection, as a direct connection would.
      one.on("error", () => other.resetAndDestroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  server.on("error", () => {});
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}
