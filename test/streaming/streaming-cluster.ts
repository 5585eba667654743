import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endpoints } from "../../src/api/core/endpoints/schema.ts";
import { nodes } from "../../src/api/core/node/schema.ts";
import { pods } from "../../src/api/core/pod/schema.ts";
import { services } from "../../src/api/core/service/schema.ts";
import type { AccessRequest } from "../../src/apiserver/authz/authorizer.ts";
import type { ApiServer } from "../../src/apiserver/server.ts";
import type { NodeStats } from "../../src/meta/node-endpoint.ts";
import { upgradeHandler } from "../../src/apiserver/streaming/upgrade.ts";
import { Client } from "../../src/client/client.ts";
import { InProcessTransport } from "../../src/client/in-process.ts";
import { adminKubeconfig, writeKubeconfig } from "../../src/cluster/kubeconfig.ts";
import { ensurePki, makeServingPair } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";
import { VirtualClock } from "../../src/util/virtual-clock.ts";
import { TestKubelet } from "./test-kubelet.suite.ts";
import { LocalNode } from "./local-node.ts";
import { testServer } from "../../src/apiserver/test-server.suite.ts";
import { serveHttps } from "../apiserver/serve-https.suite.ts";

const admin = { name: "test", groups: ["system:masters"] };

interface Call {
  readonly method?: string;
  readonly body?: string | Uint8Array;
}

export interface StreamingOptions {
  /** Serves the node over HTTPS; its certificate is not verified, or verified, or signed by another authority. */
  readonly kubelet?: "unverified" | "verified" | "impostor";
  /** Serves the node `node` in this process, and the node `far` by the kubelet. */
  readonly local?: true;
  /** Allows proxied requests to loopback. */
  readonly proxies?: true;
}

/** An API server with a Pod `web` of the containers `main` and `side`, a Pod `new` without a node, and a Pod `orphan` whose node does not exist. */
export class StreamingCluster {
  readonly node = new LocalNode();
  readonly directory = mkdtempSync(join(tmpdir(), "knarr-streaming-"));
  /** The clock of upgraded connections. */
  readonly clock = new VirtualClock();
  readonly kubeconfig = join(this.directory, "kubeconfig");
  /** The requests that are refused to every user. */
  denied: (request: AccessRequest) => boolean = () => false;
  /** The protocols that clients asked to upgrade to. */
  readonly upgrades: string[] = [];
  port = 0;
  /** PEM, for clients other than kubectl. */
  credentials = { ca: "", cert: "", key: "" };
  /** The kubelet that serves the node over HTTPS; undefined when the node is in this process. */
  kubelet: TestKubelet | undefined;
  #server: ApiServer | undefined;
  #client: Client | undefined;
  readonly #stop = new AbortController();

  /** With `kubelet`, the node is reached over HTTPS, and its serving certificate is verified on request. */
  async start(options: StreamingOptions = {}): Promise<this> {
    const env = { clock: systemClock, random: systemRandom, log: silentLogger };
    const pki = await ensurePki({ env, directory: undefined, serverNames: ["127.0.0.1", "localhost"] });
    const serving = await makeServingPair("kubelet", ["127.0.0.1"], systemClock.now());
    const { kubeletClient, ca } = pki;
    if (options.kubelet !== undefined) {
      const kubelet = new TestKubelet({ node: this.node, serving, clientCa: ca.certificate });
      this.kubelet = await kubelet.start();
    }
    const isLocal = options.local ?? options.kubelet === undefined;
    const authorities = { unverified: undefined, verified: serving.certificate, impostor: ca.certificate };
    const authorizer = {
      authorize: (request: AccessRequest) => ({ allowed: !this.denied(request), reason: "" }),
      rulesFor: () => [],
    };
    const server = testServer(
      { ...env, clock: this.clock },
      {
        admission: [],
        authorizer: () => authorizer,
        nodes: (name) => (name === "node" && isLocal ? this.node : undefined),
        ...(options.kubelet !== undefined && {
          kubelets: {
            credentials: { ...kubeletClient, authorities: authorities[options.kubelet] },
            ...(options.proxies && { isProxyable: () => true }),
          },
        }),
      },
    );
    this.#server = server;
    const { signal } = this.#stop;
    const upgrade = upgradeHandler(server);
    void server.run(signal);
    this.port = await serveHttps(server, pki, signal, (request, ...rest) => {
      this.upgrades.push(request.headers.upgrade ?? "");
      upgrade(request, ...rest);
    });
    this.credentials = { ca: pki.ca.certificate, cert: pki.admin.certificate, key: pki.admin.key };
    const config = adminKubeconfig(`https://127.0.0.1:${this.port}`, pki.ca.certificate, pki.admin);
    writeKubeconfig(this.kubeconfig, config);
    const client = new Client(new InProcessTransport(server.handle, admin), { fieldManager: "test" });
    this.#client = client;
    if (this.kubelet !== undefined) {
      const node = await client.of(nodes).create({ metadata: { name: isLocal ? "far" : "node" } });
      const addresses = [{ type: "InternalIP" as const, address: "127.0.0.1" }];
      const daemonEndpoints = { kubeletEndpoint: { Port: this.kubelet.port } };
      await client.of(nodes).updateStatus({ ...node, status: { addresses, daemonEndpoints } });
      if (isLocal) await client.of(nodes).create({ metadata: { name: "node" } });
    }
    const container = (name: string) => ({ name, image: "test" });
    const web = await client.of(pods).create({
      metadata: { name: "web", namespace: "default" },
      spec: { nodeName: "node", containers: [container("main"), container("side")] },
    });
    await client.of(pods).updateStatus({
      ...web,
      status: { ...web.status, phase: "Running", podIP: "10.0.0.9", podIPs: [{ ip: "10.0.0.9" }] },
    });
    await client.of(pods).create({
      metadata: { name: "orphan", namespace: "default" },
      spec: { nodeName: "ghost", containers: [container("main")] },
    });
    await client.of(pods).create({
      metadata: { name: "new", namespace: "default" },
      spec: { containers: [container("main")] },
    });
    return this;
  }

  /** Asks the node for its usage, as `metrics.k8s.io` does. */
  async stats(): Promise<NodeStats | undefined> {
    return this.#server?.services.nodes("node")?.stats();
  }

  /** Adds a Service with the port 80, `http`, and an endpoint at the Pod `web`. */
  async addService(name: string, port: number, ip = "10.0.0.9"): Promise<void> {
    if (this.#client === undefined) throw new Error("the cluster has not started");
    const metadata = { name, namespace: "default" };
    await this.#client.of(services).create({ metadata, spec: { ports: [{ name: "http", port: 80 }] } });
    const targetRef = { kind: "Pod", namespace: "default", name: "web" };
    const subsets = [{ addresses: [{ ip, targetRef }], ports: [{ name: "http", port }] }];
    await this.#client.of(endpoints).create({ metadata, subsets });
  }

  /** Sends a plain request and resolves with its answer. */
  async send(path: string, headers: Readonly<Record<string, string>> = {}, call: Call = {}) {
    const { method = "GET", body } = call;
    const options = { host: "127.0.0.1", port: this.port, path, method, headers, ...this.credentials };
    const sent = request(options);
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    // A server that refuses a body may close the connection while it is sent.
    sent.on("error", () => {});
    const bytes = await buffer(response);
    return { code: response.statusCode, text: bytes.toString(), bytes, headers: response.headers };
  }

  stop(): void {
    this.#stop.abort();
    this.kubelet?.stop();
    rmSync(this.directory, { recursive: true });
  }
}
