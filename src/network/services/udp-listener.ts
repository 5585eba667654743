import { createSocket, type RemoteInfo } from "node:dgram";
import type { Clock, Timer } from "../../util/clock.ts";
import type { Balancer } from "./balancer.ts";
import type { ServiceEndpoint } from "./endpoint-selection.ts";
import type { Front } from "./userspace-fronts.ts";

/** The time without datagrams in either direction after which a flow ends. */
const idleMs = 60_000;
const maxClients = 1024;
const maxEarly = 64;

/** Serves a Service's UDP port. Resolves to a function that stops it. */
export async function listenUdp(
  { address, port }: Front,
  balancer: Balancer,
  clock: Clock,
): Promise<() => Promise<void>> {
  const server = createSocket("udp4");
  const flows = new Map<string, Flow>();
  server.on("message", (message: Buffer, from: RemoteInfo) => {
    const key = `${from.address}:${from.port}`;
    const known = flows.get(key);
    if (known !== undefined && balancer.has(from.address, known.endpoint)) {
      known.send(message);
      return;
    }
    known?.close();
    const endpoint = balancer.pick(from.address);
    // Port 0 cannot receive an answer.
    if (endpoint === undefined || from.port === 0 || flows.size >= maxClients) return;
    const flow = new Flow(endpoint, clock, {
      answer: (bytes) => server.send(bytes, from.port, from.address),
      ended: () => {
        if (flows.get(key) === flow) flows.delete(key);
      },
    });
    flows.set(key, flow);
    flow.send(message);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.bind(port, address, resolve);
  });
  server.on("error", () => {});
  return () =>
    new Promise((resolve) => {
      for (const flow of flows.values()) flow.close();
      server.close(() => resolve());
    });
}

interface FlowHandlers {
  readonly answer: (message: Buffer) => void;
  readonly ended: () => void;
}

/** The datagrams between one client and its endpoint. */
class Flow {
  readonly endpoint: ServiceEndpoint;
  readonly #clock: Clock;
  readonly #ended: () => void;
  /** Connected, so that it receives only the endpoint's datagrams, and its refusal. */
  readonly #socket = createSocket("udp4");
  /** The datagrams from before the socket was connected; undefined afterwards. */
  #early: Buffer[] | undefined = [];
  #idle: Timer;
  #closed = false;

  constructor(endpoint: ServiceEndpoint, clock: Clock, { answer, ended }: FlowHandlers) {
    this.endpoint = endpoint;
    this.#clock = clock;
    this.#ended = ended;
    this.#idle = this.#untilIdle();
    // A refusal ends the flow: the client's next datagram may get another endpoint.
    this.#socket.on("error", () => this.close());
    this.#socket.on("message", (message: Buffer) => {
      this.#keep();
      answer(message);
    });
    this.#socket.connect(endpoint.port, endpoint.address, () => {
      for (const message of this.#early ?? []) this.#socket.send(message);
      this.#early = undefined;
    });
  }

  send(message: Buffer): void {
    this.#keep();
    if (this.#early === undefined) this.#socket.send(message);
    else if (this.#early.length < maxEarly) this.#early.push(message);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#idle.cancel();
    this.#ended();
    this.#socket.close();
  }

  #keep(): void {
    this.#idle.cancel();
    this.#idle = this.#untilIdle();
  }

  #untilIdle(): Timer {
    return this.#clock.after(idleMs, () => this.close());
  }
}
