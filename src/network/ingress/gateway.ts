import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { ProxyServer } from "httpxy";
import type { Env } from "../../util/env.ts";
import { http } from "../../util/node-http.ts";
import { randomInt } from "../../util/random.ts";
import type { ServiceEndpoint } from "../services/endpoint-selection.ts";
import { type Backend, findBackend, type IngressPlan } from "./plan.ts";

export interface GatewayOptions {
  readonly env: Env;
  readonly address: string;
  readonly ports: { readonly http: number; readonly https: number };
  /** Returns the certificate for a host; undefined: the connection is refused. */
  readonly certificate: (host: string) => Promise<SecureContext | undefined>;
}

type Chosen = (error: Error | null, context?: SecureContext) => void;

/** The greatest number of clients' connections to each port. */
const maxConnections = 10_000;
/** The greatest number of idle connections to an endpoint. */
const maxIdle = 64;
/** The time that a backend has for the next bytes of its answer, as nginx' `proxy_read_timeout`. */
const answerMs = 60_000;
/** A further endpoint gets a request that the first one did not take. */
const attempts = 2;

/** Serves HTTP and HTTPS for Ingresses, and passes requests on to the endpoints of Services. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #proxy: ProxyServer;
  readonly #servers: readonly (Server | TlsServer)[];
  readonly #agent = new http.Agent({ keepAlive: true, maxFreeSockets: maxIdle });
  #plan: IngressPlan;

  private constructor(options: GatewayOptions, proxy: ProxyServer, plan: IngressPlan) {
    this.#options = options;
    this.#proxy = proxy;
    this.#plan = plan;
    const tls = { SNICallback: (host: string, done: Chosen) => void this.#chooseCertificate(host, done) };
    this.#servers = [http.createServer(), createTlsServer(tls)];
    for (const server of this.#servers) this.#serve(server, server !== this.#servers[0]);
  }

  /** Listens on both ports. @throws Error when a port is taken */
  static async open(options: GatewayOptions, plan: IngressPlan): Promise<Gateway> {
    // Loaded here, because most clusters have no Ingress.
    const { createProxyServer } = await import("httpxy");
    const gateway = new Gateway(options, createProxyServer(), plan);
    try {
      await gateway.#listen();
    } catch (error) {
      await gateway.close();
      throw error;
    }
    return gateway;
  }

  update(plan: IngressPlan): void {
    this.#plan = plan;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await Promise.all(this.#servers.map(closed));
  }

  async #listen(): Promise<void> {
    const { address, ports, env } = this.#options;
    for (const [index, server] of this.#servers.entries()) {
      const port = index === 0 ? ports.http : ports.https;
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host: address, port }, () => resolve());
      });
      server.on("error", (error) =>
        env.log.warn("the gateway of Ingresses failed", { error: error.message }),
      );
    }
  }

  async #chooseCertificate(host: string, done: Chosen): Promise<void> {
    try {
      const context = await this.#options.certificate(host.toLowerCase());
      if (context === undefined) throw new Error(`no certificate for ${host}`);
      done(null, context);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #serve(server: Server | TlsServer, isTls: boolean): void {
    server.maxConnections = maxConnections;
    server.on("request", (request, response) => void this.#answer(request, response, isTls));
    server.on(
      "upgrade",
      (request: IncomingMessage, socket: Socket, head: Buffer) =>
        void this.#upgrade(request, socket, head, isTls),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse, isTls: boolean): Promise<void> {
    const backend = this.#prepare(request, isTls);
    if (backend === undefined) return refuse(response, 404, "no Ingress has a rule for this host and path");
    // A request with a body, or that is not idempotent, may have been taken before its connection broke.
    const tries = isRepeatable(request) ? attempts : 1;
    let untried = backend.endpoints;
    for (let attempt = 1; ; attempt++) {
      const endpoint = this.#choose(untried);
      if (endpoint === undefined) return refuse(response, 503, `${backend.service} has no endpoints`);
      try {
        return await this.#proxy.web(request, response, { ...this.#target(endpoint), agent: this.#agent });
      } catch (error) {
        untried = untried.filter((one) => one !== endpoint);
        if (response.headersSent || response.destroyed) return void response.destroy();
        if (attempt < tries && untried.length > 0) continue;
        const { log } = this.#options.env;
        log.info("a backend did not answer", { service: backend.service, error: String(error) });
        return refuse(response, 502, `${backend.service} does not answer`);
      }
    }
  }

  async #upgrade(request: IncomingMessage, socket: Socket, head: Buffer, isTls: boolean): Promise<void> {
    socket.on("error", () => socket.destroy());
    const backend = this.#prepare(request, isTls);
    const endpoint = backend === undefined ? undefined : this.#choose(backend.endpoints);
    if (endpoint === undefined) {
      const status = backend === undefined ? "404 Not Found" : "503 Service Unavailable";
      return void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
    try {
      const options = { ...this.#target(endpoint), upgradeTimeout: answerMs };
      await this.#proxy.ws(request, socket, options, head);
    } catch {
      socket.destroy();
    }
  }

  /** Returns the request's backend, and gives the request the headers that tell of its client. */
  #prepare(request: IncomingMessage, isTls: boolean): Backend | undefined {
    const { headers, socket } = request;
    const target = parseTarget(request.url ?? "/");
    if (target === undefined) return undefined;
    request.url = target.url;
    const host = headers.host ?? "";
    // Whatever the client claims: it is the first that can be known.
    for (const name of Object.keys(headers)) if (name.startsWith("x-forwarded-")) delete headers[name];
    headers["x-forwarded-for"] = headers["x-real-ip"] = socket.remoteAddress ?? "";
    headers["x-forwarded-host"] = host;
    headers["x-forwarded-proto"] = isTls ? "https" : "http";
    headers["x-forwarded-port"] = String(isTls ? this.#options.ports.https : this.#options.ports.http);
    const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
    return findBackend(this.#plan, name, target.path);
  }

  #choose(endpoints: readonly ServiceEndpoint[]): ServiceEndpoint | undefined {
    return endpoints[randomInt(this.#options.env.random, endpoints.length)];
  }

  #target({ address, port }: ServiceEndpoint) {
    return { target: { protocol: "http:", host: address, port }, proxyTimeout: answerMs };
  }
}

/**
 * Resolves dot segments, so that the path that is matched is the path that the backend gets. Returns undefined for a target
 * that is no path.
 */
function parseTarget(url: string): { readonly url: string; readonly path: string } | undefined {
  if (!url.startsWith("/") || !URL.canParse(`http://host${url}`)) return undefined;
  const { pathname, search } = new URL(`http://host${url}`);
  return { url: `${pathname}${search}`, path: pathname };
}

function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return !hasBody && (method === "GET" || method === "HEAD" || method === "OPTIONS");
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

async function closed(server: Server | TlsServer): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
