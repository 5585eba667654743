import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { ExecSession } from "../../src/meta/node-endpoint.ts";
import { acceptSpdy } from "../../src/streams/spdy-accept.ts";
import { acceptSpdyExec } from "../../src/streams/spdy-exec.ts";
import { forwardStreams } from "../../src/streams/spdy-forward.ts";
import type { KeyPair } from "../../src/cluster/key-pair.ts";
import { systemClock } from "../../src/util/clock.ts";
import type { LocalNode } from "./local-node.ts";

/** An answer instead of the kubelet's own. */
export interface Override {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TestKubeletOptions {
  readonly node: LocalNode;
  readonly serving: KeyPair;
  /** The authority of clients' certificates. */
  readonly clientCa: string;
}

/** A kubelet's HTTPS server on loopback: it speaks the kubelet's protocol, and has one container for all paths. */
export class TestKubelet {
  /** The requests with their client: `CN: METHOD path`. */
  readonly transcript: string[] = [];
  /** Answers by the beginning of their path. */
  readonly overrides = new Map<string, Override>();
  port = 0;
  readonly #node: LocalNode;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  constructor({ node, serving, clientCa }: TestKubeletOptions) {
    this.#node = node;
    const { certificate: cert, key } = serving;
    const tls = { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true };
    this.#server = createServer(tls, (request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => {});
      void this.#upgrade(request, socket, head);
    });
    this.#server.on("connection", (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  stop(): void {
    this.#server.close();
    this.disconnect();
  }

  /** Breaks all connections, as a kubelet that is killed. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #record({ method, url, socket }: IncomingMessage): Override | undefined {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    this.transcript.push(`${String(subject.CN)} (${String(subject.O)}): ${method} ${url}`);
    return [...this.overrides].find(([path]) => url?.startsWith(path) === true)?.[1];
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const override = this.#record(request);
    if (override !== undefined) {
      response.writeHead(override.code, override.headers).end(override.body);
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? "", "https://kubelet");
    if (pathname.startsWith("/containerLogs/")) {
      const tail = searchParams.get("tailLines");
      const stream = await this.#node.logs(undefined, {
        follow: searchParams.get("follow") === "true",
        previous: false,
        timestamps: false,
        stream: "All",
        ...(tail === null ? {} : { tailLines: Number(tail) }),
        signal: new AbortController().signal,
      });
      response.once("close", () => stream.destroy());
      stream.pipe(response);
    } else if (pathname === "/echo") {
      response.writeHead(200, { "content-type": "text/plain" });
      request.pipe(response);
    } else {
      response.writeHead(404).end("404 page not found\n");
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const override = this.#record(request);
    if (override !== undefined) {
      const { code, body } = override;
      socket.end(`HTTP/1.1 ${code} Refused\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? "", "https://kubelet");
    const [, verb = ""] = pathname.split("/");
    const connection = { request, socket, head, protocol: "spdy/3.1" } as const;
    if (verb === "portForward") {
      const pod = { namespace: "default", name: "web", uid: "uid" };
      const dial = (port: number) => this.#node.dial(undefined, port);
      await forwardStreams(acceptSpdy(connection, "portforward.k8s.io", {}), systemClock, { pod, dial });
      return;
    }
    const isSet = (name: string) => searchParams.get(name) === "1";
    const streams = {
      stdin: isSet("input"),
      stdout: isSet("output"),
      stderr: isSet("error"),
      tty: isSet("tty"),
    };
    const command = searchParams.getAll("command");
    const open = (): Promise<ExecSession> =>
      verb === "attach"
        ? this.#node.attach(undefined, streams)
        : this.#node.exec(undefined, { ...streams, command });
    const start = { open, doing: "error executing command in container", tellsExitCode: verb === "exec" };
    await acceptSpdyExec(apiRequest(request), systemClock, streams, start)(connection, {});
  }
}

/** The fields of a request that the negotiation of a protocol reads. */
function apiRequest({ headers, url = "" }: IncomingMessage): Parameters<typeof acceptSpdyExec>[0] {
  const [path = "", query = ""] = url.split("?", 2);
  return {
    method: "POST",
    path,
    query: new URLSearchParams(query),
    headers: { "x-stream-protocol-version": String(headers["x-stream-protocol-version"]) },
    body: { type: "none" },
    caller: { type: "connection", address: "127.0.0.1" },
    signal: new AbortController().signal,
  };
}
