import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet, RECURSION_AVAILABLE } from "dns-packet";
import { type Service, services } from "../../api/core/v1/service.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/v1.ts";
import { allSynced } from "../../client/all-synced.ts";
import { Client } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import type { Env } from "../../util/env.ts";
import { type ClusterNames, lookUp, type ZoneAnswer } from "./zone.ts";

export interface DnsServerOptions {
  readonly env: Env;
  /** May list Services and EndpointSlices. */
  readonly transport: Transport;
  /** Where to answer, over UDP and TCP. The machine must have the address already. */
  readonly address: string;
  readonly port: number;
  readonly domain: string;
  /** Asks somebody else about names outside the cluster; gives undefined when nobody knows. */
  readonly forward: (query: Buffer) => Promise<Buffer | undefined>;
}

/** Short, as upstream's: Services come and go. */
const ttl = 5;
const maxUdpAnswer = 1232;
const serviceNameLabel = "kubernetes.io/service-name";
const rcodes = { serverFailure: 2, nameError: 3 } as const;

/** Cluster DNS: answers for Services from informers, and passes everything else on. */
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
      byAddress: (address) => this.#services.cache.list().find(({ spec }) => spec.clusterIP === address),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const informers = [this.#services.run(signal), this.#slices.run(signal)];
    await allSynced(signal, this.#services, this.#slices);
    await Promise.all([this.#serveUdp(signal), this.#serveTcp(signal), ...informers]);
  }

  /** The answer to a query, as bytes. A packet that makes no sense gets none. */
  async answer(query: Buffer): Promise<Buffer | undefined> {
    const packet = parse(query);
    const [question] = packet?.questions ?? [];
    if (packet === undefined || question === undefined || packet.type === "response") return undefined;
    const found = lookUp(this.#names, question.name, question.type);
    if (found.type === "none") {
      const forwarded = await this.#options.forward(query).catch(() => undefined);
      return forwarded ?? encode(failure(packet, rcodes.serverFailure));
    }
    return encode(reply(packet, found));
  }

  async #serveUdp(signal: AbortSignal): Promise<void> {
    const { address, port, env } = this.#options;
    const socket = createSocket("udp4");
    socket.on("message", async (query, from) => {
      const answer = await this.answer(query);
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

/** dns-packet throws on what is malformed. */
function parse(query: Buffer): Packet | undefined {
  try {
    return decode(query);
  } catch {
    return undefined;
  }
}

function withLength(answer: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(answer.length);
  return Buffer.concat([length, answer]);
}

function base(query: Packet): Packet {
  const desired = (query.flags ?? 0) & 0x0100;
  return {
    type: "response",
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | desired,
    questions: query.questions ?? [],
  };
}

function failure(query: Packet, rcode: number): Packet {
  const packet = base(query);
  return { ...packet, flags: (packet.flags ?? 0) | rcode };
}

function reply(query: Packet, answer: Exclude<ZoneAnswer, { type: "none" }>): Packet {
  if (answer.type === "missing") return failure(query, rcodes.nameError);
  return {
    ...base(query),
    answers: answer.records.map((record) => ({ ...record, ttl })),
    additionals: answer.additional.map((record) => ({ ...record, ttl })),
  };
}

/** An answer that is too large for a datagram comes empty, with the mark that sends the client to TCP. */
function truncate(query: Buffer, answer: Buffer): Buffer {
  if (answer.length <= maxUdpAnswer) return answer;
  const packet = parse(query);
  if (packet === undefined) return answer;
  const empty = base(packet);
  return encode({ ...empty, flags: (empty.flags ?? 0) | 0x0200 });
}
