import { get } from "node:https";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Bed, startBed } from "../../apiserver/server.suite.ts";
import { listen } from "../../apiserver/http/listener.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { clusterRoleBindings } from "../../api/rbac/role-binding/schema.ts";
import { clusterRoles } from "../../api/rbac/role/schema.ts";
import { tokenRequests } from "../../api/authentication/v1.ts";
import { Client } from "../../client/client.ts";
import { InProcessTransport } from "../../client/in-process.ts";
import type { Transport } from "../../client/transport.ts";
import { decode } from "../../meta/decode.ts";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { Metrics } from "../../util/metrics/metrics.ts";
import { systemRandom } from "../../util/random.ts";
import { identities } from "../identities.ts";
import { ensurePki, type Pki } from "../pki.ts";
import type { KeyPair } from "../key-pair.ts";
import { Delegation } from "./delegation.ts";
import { componentHandler } from "./handler.ts";

let bed: Bed;
let stop: AbortController;
let port: number;
let pki: Pki;
/** The paths of requests to the API server. */
let asked: string[];

const env = { clock: systemClock, random: systemRandom, log: silentLogger };

beforeEach(async () => {
  bed = await startBed();
  stop = new AbortController();
  asked = [];
  const inner = new InProcessTransport(bed.server.handle, identities.bootstrap);
  const transport: Transport = {
    shared: inner.shared,
    request: (request) => {
      asked.push(request.path);
      return inner.request(request);
    },
    watch: (request) => inner.watch(request),
    stream: (request) => inner.stream(request),
    close: () => inner.close(),
  };
  const metrics = new Metrics();
  metrics.counter({ name: "seen_total", help: "Seen." }).add({}, 3);
  const alwaysAllowed = ["/healthz", "/livez*"];
  const delegation = new Delegation({ client: new Client(transport), clock: bed.clock, alwaysAllowed });
  pki = await ensurePki({ env, directory: undefined, serverNames: ["127.0.0.1"] });
  const address = await listen(
    {
      ...pki.server,
      clientCa: pki.ca.certificate,
      host: "127.0.0.1",
      port: 0,
      clock: systemClock,
      log: silentLogger,
      upgrade: (_request, socket) => void socket.destroy(),
      handler: componentHandler({ env, metrics, delegation }),
    },
    stop.signal,
  );
  port = address.port;
});
afterEach(() => stop.abort());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function ask(path: string, token?: string, pair?: KeyPair): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = {
      host: "127.0.0.1",
      port,
      path,
      headers,
      ca: pki.ca.certificate,
      agent: false as const,
      ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    };
    get(options, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text }),
      );
    }).on("error", reject);
  });
}

describe("a component's endpoints", () => {
  test("show health to everybody, and metrics only to those who may see them", async () => {
    expect(await ask("/healthz")).toMatchObject({ status: 200, text: "ok" });
    expect(await ask("/livez/ping?verbose")).toMatchObject({
      status: 200,
      text: "[+]ping ok\nlivez check passed\n",
    });
    const refused = await ask("/metrics");
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({
      kind: "Status",
      message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
    });
    expect((await ask("/readyz")).status).toBe(403);
    expect((await ask("/metrics", "nonsense")).status).toBe(401);
    expect((await ask("/healthz", "nonsense")).status).toBe(401);
  });

  test("ask the API server who a token belongs to, and what its user may do, once in ten seconds", async () => {
    const client = new Client(new InProcessTransport(bed.server.handle, identities.bootstrap));
    await client.of(serviceAccounts, "default").create({ metadata: { name: "scraper" } });
    const { apiVersion, kind } = tokenRequests;
    const made = await client
      .of(serviceAccounts, "default")
      .subresource("scraper", "token")
      .create({ apiVersion, kind, metadata: {}, spec: { audiences: [] } });
    const { token } = decode(tokenRequests.schema, made).status;
    expect((await ask("/metrics", token)).status).toBe(403);
    const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    await client.of(clusterRoles).create({ metadata: { name: "scrape" }, rules });
    await client.of(clusterRoleBindings).create({
      metadata: { name: "scrape" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "scrape" },
      subjects: [{ kind: "ServiceAccount", name: "scraper", namespace: "default" }],
    });
    expect((await ask("/metrics", token)).status).toBe(403);
    await bed.clock.advance(10_000);
    asked.length = 0;
    const allowed = await ask("/metrics", token);
    expect(allowed).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8" });
    expect(allowed.text).toContain("\nseen_total 3\n");
    await ask("/metrics", token);
    expect(asked).toEqual([
      "/apis/authentication.k8s.io/v1/tokenreviews",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    ]);
  });

  test("know clients by their certificates, and members of system:masters may see everything", async () => {
    expect((await ask("/metrics", undefined, pki.admin)).status).toBe(200);
    expect(asked).toEqual([]);
    expect((await ask("/configz", undefined, pki.admin)).status).toBe(404);
    const stranger = await ensurePki({ env, directory: undefined, serverNames: [] });
    expect((await ask("/healthz", undefined, stranger.admin)).status).toBe(401);
  });
});
