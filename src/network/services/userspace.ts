import { connect, createServer, type Server, type Socket } from "node:net";
import type { Env } from "../../util/env.ts";
import type { HostAddresses } from "../host-addresses.ts";
import type { ServiceBackend } from "./backend.ts";
import { Balancer } from "./balancer.ts";
import type { ServicePort } from "./plan.ts";
import { listenUdp } from "./udp-listener.ts";

export interface UserspaceOptions {
  readonly env: Env;
  readonly addresses: Pick<HostAddresses, "add" | "remove">;
}

/** The server of one port of a Service. */
interface Listener {
  readonly balancer: Balancer;
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves Services without kernel rules: this process listens on their addresses and copies bytes. It works
 * wherever `ip` does; the endpoint sees the node's address, not the client's.
 */
export class UserspaceBackend implements ServiceBackend {
  readonly name = "userspace";
  readonly #env: Env;
  readonly #addresses: UserspaceOptions["addresses"];
  readonly #listeners = new Map<string, Listener>();

  constructor({ env, addresses }: UserspaceOptions) {
    this.#env = env;
    this.#addresses = addresses;
  }

  async sync(plan: readonly ServicePort[]): Promise<void> {
    const wanted = new Map(plan.map((port) => [keyOf(port), port]));
    for (const [key, listener] of this.#listeners) {
      if (wanted.has(key)) continue;
      this.#listeners.delete(key);
      await listener.close();
      await this.#addresses.remove(listener.address);
    }
    for (const [key, port] of wanted) {
      const present = this.#listeners.get(key);
      if (present !== undefined) present.balancer.update(port);
      // A port without endpoints is not opened, and may belong to another server (cluster DNS).
      else if (port.endpoints.length > 0) await this.#open(key, port);
    }
  }

  async close(): Promise<void> {
    await this.sync([]);
  }

  async #open(key: string, port: ServicePort): Promise<void> {
    const balancer = new Balancer(port, this.#env);
    await this.#addresses.add(port.address);
    try {
      const close =
        port.protocol === "TCP"
          ? await listenTcp(port, balancer)
          : await listenUdp(port, balancer, this.#env.clock);
      this.#listeners.set(key, { balancer, address: port.address, close });
    } catch (error) {
      await this.#addresses.remove(port.address);
      this.#env.log.warn("Cannot listen on a Service's port", {
        service: port.name,
        error: String(error),
      });
    }
  }
}

function keyOf({ protocol, address, port }: ServicePort): string {
  return `${protocol}/${address}:${port}`;
}

async function listenTcp({ address, port }: ServicePort, balancer: Balancer): Promise<() => Promise<void>> {
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
