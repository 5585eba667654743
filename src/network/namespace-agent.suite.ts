import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { systemClock } from "../util/clock.ts";
import { silentLogger } from "../util/logger.ts";
import { systemRandom } from "../util/random.ts";
import { type Host, thisHost } from "./host.ts";
import { HostAddresses } from "./host-addresses.ts";
import type { ServiceBackend } from "./services/backend.ts";
import { NftablesBackend } from "./services/nftables/backend.ts";
import type { ServicePort } from "./services/plan.ts";
import { machineAddresses } from "./services/node-addresses.ts";
import { UserspaceBackend } from "./services/userspace.ts";

/**
 * Runs in a network namespace of its own and carries out a test's orders, with one message each way for each
 * order.
 */

export type BackendName = "nftables" | "nftables without br_netfilter" | "userspace";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const heard: string[] = [];
let addresses: HostAddresses | undefined;
let unguard: (() => Promise<void>) | undefined;
let backend: ServiceBackend | undefined;
let connection: Socket | undefined;

const orders = {
  run: (program: string, args: readonly string[], input?: string) => thisHost.run(program, args, input),

  setSysctl: (name: string, value: string) => thisHost.setSysctl(name, value),

  /** Answers on a port, over TCP and UDP, with its name and the client's address. */
  async serve(name: string, port: number, address = "0.0.0.0"): Promise<void> {
    const answer = (client: string | undefined) => {
      heard.push(client ?? "");
      return `${name} saw ${client}`;
    };
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy()).end(answer(socket.remoteAddress));
    });
    const datagrams = createSocket("udp4");
    datagrams.on("message", (_, from) => datagrams.send(answer(from.address), from.port, from.address));
    server.listen(port, address);
    datagrams.bind(port, address);
    await Promise.all([once(server, "listening"), once(datagrams, "listening")]);
  },

  /** Returns the clients answered since the last call. */
  heard: () => heard.splice(0),

  /** Returns the answer, or the error's code. UDP is sent from the given port, if any. */
  async ask(protocol: "TCP" | "UDP", address: string, port: number, from?: number): Promise<string> {
    try {
      return await (protocol === "TCP" ? askTcp(address, port) : askUdp(address, port, from));
    } catch (error) {
      if (error instanceof Error && "code" in error) return String(error.code);
      throw error;
    }
  },

  /** Sends one datagram without waiting for an answer. */
  async tell(address: string, port: number): Promise<void> {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.send("?", port, address, () => resolve()));
    socket.close();
  },

  /** Returns over TCP what it receives, on connections that stay open. */
  async echo(port: number, address = "0.0.0.0"): Promise<void> {
    const server = createServer((socket) => {
      heard.push(socket.remoteAddress ?? "");
      socket.on("error", () => socket.destroy()).pipe(socket);
    }).listen(port, address);
    await once(server, "listening");
  },

  /** Opens the connection that `exchange` uses. */
  async connect(address: string, port: number): Promise<void> {
    connection = connect({ host: address, port }).on("error", () => {});
    await once(connection, "connect");
  },

  /** Sends text over the open connection and returns what comes back. */
  async exchange(said: string): Promise<string> {
    if (connection === undefined) throw new TypeError("Cannot exchange text before a connection is open");
    connection.write(said);
    const [answer] = (await once(connection, "data")) as [Buffer];
    return answer.toString();
  },

  /** Sets up the network as a starting cluster does. */
  async open(name: BackendName, bridge: string, gateway: string, serviceCIDR: string): Promise<void> {
    const held = (addresses = new HostAddresses(thisHost, bridge));
    unguard = await held.guard(serviceCIDR);
    const host: Host =
      name === "nftables without br_netfilter"
        ? { ...thisHost, sysctl: (one) => (one.startsWith("net/bridge/") ? undefined : thisHost.sysctl(one)) }
        : thisHost;
    backend =
      name === "userspace"
        ? new UserspaceBackend({
            env,
            addresses: held,
            nodeAddresses: () => machineAddresses(bridge, (one) => held.holds(one)),
          })
        : new NftablesBackend({ host, bridge, gateway, serviceCIDR });
  },

  hold: (address: string) => addresses?.add(address),

  release: (address: string) => addresses?.remove(address),

  sync: (plan: readonly ServicePort[]) => backend?.sync(plan),

  isIntact: () => backend?.isIntact(),

  async close(): Promise<void> {
    await backend?.close();
    await unguard?.();
  },
};

export type Orders = typeof orders;

async function askTcp(address: string, port: number): Promise<string> {
  const socket = connect({ host: address, port });
  try {
    return await text(socket);
  } finally {
    socket.destroy();
  }
}

async function askUdp(address: string, port: number, from = 0): Promise<string> {
  const socket = createSocket("udp4");
  try {
    socket.bind(from);
    await once(socket, "listening");
    // Only a connected socket receives refusals.
    socket.connect(port, address);
    await once(socket, "connect");
    socket.send("?");
    const [message] = (await once(socket, "message")) as [Buffer];
    return message.toString();
  } finally {
    socket.close();
  }
}

interface Order {
  readonly id: number;
  readonly order: keyof Orders;
  readonly args: readonly never[];
}

process.on("message", ({ id, order, args }: Order) => {
  const act = orders[order] as (...args: readonly never[]) => unknown;
  (async () => act(...args))().then(
    (value) => process.send?.({ id, value }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.once("disconnect", () => process.exit());
