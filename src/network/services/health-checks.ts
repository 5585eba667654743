import type { Server } from "node:http";
import type { Service } from "../../api/core/service/schema.ts";
import type { EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { by } from "../../util/compare.ts";
import type { Env } from "../../util/env.ts";
import { http } from "../../util/node-http.ts";
import { type ProxyNode, selectEndpoints } from "./endpoint-selection.ts";
import { keyOf, slicesByService } from "./plan.ts";

/** The node port at which load balancers ask whether this node has endpoints of a Service. */
export interface HealthCheck {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The number of endpoints on this node. */
  readonly localEndpoints: number;
}

/** Plans the health checks of Services with the external traffic policy Local. */
export function planHealthChecks(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  node: ProxyNode,
): readonly HealthCheck[] {
  const byService = slicesByService(slices);
  return services
    .flatMap((service): HealthCheck[] => {
      const { spec, metadata } = service;
      const { healthCheckNodePort: port = 0, externalTrafficPolicy, type } = spec;
      if (port === 0 || externalTrafficPolicy !== "Local" || type !== "LoadBalancer") return [];
      const own = byService.get(keyOf(service)) ?? [];
      const local = (spec.ports ?? []).flatMap(({ name = "", protocol = "TCP" }) =>
        selectEndpoints(own, name, protocol, node).local.map(({ address }) => address),
      );
      const { namespace = "", name = "" } = metadata;
      return [{ namespace, name, port, localEndpoints: new Set(local).size }];
    })
    .sort(by(({ port }) => port));
}

interface Running {
  readonly server: Server;
  check: HealthCheck;
}

/** Answers health checks over HTTP (upstream `pkg/proxy/healthcheck/service_health.go`). */
export class HealthCheckServers {
  readonly #log: Env["log"];
  readonly #running = new Map<number, Running>();
  readonly #isHealthy: () => boolean;

  constructor({ log }: Pick<Env, "log">, isHealthy: () => boolean) {
    this.#log = log;
    this.#isHealthy = isHealthy;
  }

  /** Answers exactly these checks. A port that is in use is tried again at the next call. */
  async sync(checks: readonly HealthCheck[]): Promise<void> {
    const wanted = new Map(checks.map((check) => [check.port, check]));
    for (const [port, { server }] of this.#running) {
      if (wanted.has(port)) continue;
      this.#running.delete(port);
      await closed(server);
    }
    for (const [port, check] of wanted) {
      const running = this.#running.get(port);
      if (running !== undefined) running.check = check;
      else await this.#open(check);
    }
  }

  async close(): Promise<void> {
    await this.sync([]);
  }

  async #open(check: HealthCheck): Promise<void> {
    const server = http.createServer({ maxHeaderSize: 8192, requestTimeout: 10_000 }, (_, response) => {
      const current = this.#running.get(check.port)?.check ?? check;
      const { status, headers, body } = answerOf(current, this.#isHealthy());
      response.writeHead(status, headers).end(body);
    });
    server.maxConnections = 64;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen({ port: check.port, host: "0.0.0.0" }, resolve);
      });
      server.on("error", () => {});
      this.#running.set(check.port, { server, check });
    } catch (error) {
      const { namespace, name, port } = check;
      const facts = { service: `${namespace}/${name}`, port, error: String(error) };
      this.#log.warn("Cannot listen on a Service's health check port", facts);
    }
  }
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function answerOf({ namespace, name, localEndpoints }: HealthCheck, isHealthy: boolean) {
  const answer = {
    service: { namespace, name },
    localEndpoints,
    serviceProxyHealthy: isHealthy,
  };
  return {
    status: localEndpoints > 0 && isHealthy ? 200 : 503,
    headers: {
      "Content-Type": "application/json",
      "X-Content-Type-Options": "nosniff",
      "X-Load-Balancing-Endpoint-Weight": String(localEndpoints),
    },
    body: JSON.stringify(answer, undefined, "\t"),
  };
}
