import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { type Answer, decode, encode, type Packet, type Question, RECURSION_DESIRED } from "dns-packet";
import { type Service, services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { allSynced } from "../../client/all-synced.ts";
import { Client } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import type { Env } from "../../util/env.ts";
import { failure, parse, rcodes, reply, truncate, withLength } from "./message.ts";
import { type ClusterNames, lookUp } from "./zone.ts";

export interface DnsServerOptions {
  readonly env: Env;
  /** Acts as an identity that may list Services and EndpointSlices. */
  readonly transport: Transport;
  /** The address to serve on, over UDP and TCP. The machine must already have it. */
  readonly address: string;
  readonly port: number;
  readonly domain: string;
  /** Resolves a name outside the cluster; undefined when no name server answers. */
  readonly forward: (query: Buffer) => Promise<Buffer | undefined>;
}

const serviceNameLabel = "kubernetes.io/service-name";
/** The greatest number of aliases that are followed, so that two aliases of each other end. */
const maxAliases = 8;

/** Cluster DNS: answers for Services from informers, and forwards every other query. */
export class DnsServer {
  readonly #options: DnsServerOptions;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #names: ClusterNames;

  constructor(options: DnsServerOptions) {
    const client = new Client(options.transport);
    this.#options = options;
    this.#services = new Informer(client.of(services), options.env, { name: "services" });
    this.#slices = new Informer(client.of(endpointSlices), options.env, { name: "endpointslices" });
    this.#names = {
      domain: options.domain,
      service: (namespace, name) => this.#services.cache.get(`${namespace}/${name}`),
      slices: (namespace, service) =>
        this.#slices.cache
          .list({ namespace })
          .filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === service),
      byAddress: (address) =>
        this.#services.cache
          .list()
          .find(({ spec }) => spec.clusterIP === address || spec.clusterIPs?.includes(address) === true),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const informers = [this.#services.run(signal), this.#slices.run(signal)];
    await allSynced(signal, this.#services, this.#slices);
    if (signal.aborted) {
      await Promise.all(informers);
      return;
    }
    await Promise.all([this.#serveUdp(signal), this.#serveTcp(signal), ...informers]);
  }

  /** Returns the answer to a query as bytes; undefined for a malformed packet. */
  async answer(query: Buffer, aliases = 0): Promise<Buffer | undefined> {
    const packet = parse(query);
    const [question] = packet?.questions ?? [];
    if (packet === undefined || question === undefined || packet.type === "response") return undefined;
    try {
      return await this.#respond(query, packet, question, aliases);
    } catch (error) {
      this.#options.env.log.warn("Cannot answer a DNS query", { name: question.name, error: String(error) });
      return encode(failure(packet, rcodes.serverFailure));
    }
  }

  async #respond(query: Buffer, packet: Packet, question: Question, aliases: number): Promise<Buffer> {
    const found = lookUp(this.#names, question.name, question.type);
    if (found.type === "none") {
      const forwarded = await this.#options.forward(query);
      return forwarded ?? encode(failure(packet, rcodes.serverFailure));
    }
    const [first] = found.type === "records" ? found.records : [];
    const further =
      first?.type === "CNAME" && question.type !== "CNAME"
        ? await this.#follow({ ...question, name: first.data }, aliases)
        : [];
    return encode(reply(packet, found, further));
  }

  /** Resolves the target of an alias, because stub resolvers, such as libc's, do not ask a second time. */
  async #follow(question: Question, aliases: number): Promise<readonly Answer[]> {
    if (aliases >= maxAliases) return [];
    const query = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [question] });
    const answer = await this.answer(query, aliases + 1);
    return answer === undefined ? [] : (decode(answer).answers ?? []);
  }

  async #serveUdp(signal: AbortSignal): Promise<void> {
    const { address, port, env } = this.#options;
    const socket = createSocket("udp4");
    socket.on("message", async (query, from) => {
      // Port 0 cannot receive an answer, and sending to it throws.
      const answer = from.port === 0 ? undefined : await this.answer(query);
      if (answer !== undefined && !signal.aborted)
        socket.send(truncate(query, answer), from.port, from.address);
    });
    socket.on("error", (error) => env.log.warn("cluster DNS failed over UDP", { error: error.message }));
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => socket.close(() => resolve()), { once: true });
      socket.bind(port, address);
    });
  }

  async #answerTcp(socket: Socket, query: Buffer): Promise<void> {
    const answer = await this.answer(query);
    if (answer === undefined) socket.destroy();
    else socket.write(withLength(answer));
  }

  async #serveTcp(signal: AbortSignal): Promise<void> {
    const { address, port, env } = this.#options;
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
      let buffered = Buffer.alloc(0);
      socket.on("data", (chunk: Buffer) => {
        buffered = Buffer.concat([buffered, chunk]);
        while (buffered.length >= 2 && buffered.length >= buffered.readUInt16BE(0) + 2) {
          const end = buffered.readUInt16BE(0) + 2;
          const query = buffered.subarray(2, end);
          buffered = buffered.subarray(end);
          void this.#answerTcp(socket, query);
        }
      });
    });
    server.on("error", (error) => env.log.warn("cluster DNS failed over TCP", { error: error.message }));
    await new Promise<void>((resolve) => {
      signal.addEventListener(
        "abort",
        () => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        },
        { once: true },
      );
      server.listen(port, address);
    });
  }
}
