import { namespaces } from "../../src/api/core/namespace/schema.ts";
import { type Node, nodes } from "../../src/api/core/node/schema.ts";
import { serviceAccounts } from "../../src/api/core/service-account/schema.ts";
import { Client } from "../../src/client/client.ts";
import { InProcessTransport } from "../../src/client/in-process.ts";
import type { Kubeconfig } from "../../src/client/kubeconfig.ts";
import { bootstrap } from "../../src/cluster/bootstrap.ts";
import { identities } from "../../src/cluster/identities.ts";
import { adminKubeconfig } from "../../src/cluster/kubeconfig.ts";
import { ensurePki } from "../../src/cluster/pki.ts";
import { startCluster } from "../../src/testing/start-cluster.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";
import { testServer } from "../../src/apiserver/test-server.suite.ts";
import { isConditionTrue } from "../../src/meta/conditions.ts";
import { serveHttps } from "../apiserver/serve-https.suite.ts";

/**
 * The environment of a case: an API server alone, where only clients change objects, or a whole cluster with
 * controllers, a scheduler and a node.
 */
export type Stage = "server" | "cluster";

/** The system under the cases: Knarr, or upstream. */
export interface Subject {
  readonly config: Kubeconfig;
  readonly client: Client;
  stop(): Promise<void>;
}

export function startKnarr(stage: Stage): Promise<Subject> {
  return stage === "server" ? startServer() : startWhole();
}

async function startWhole(): Promise<Subject> {
  const cluster = await startCluster({ port: 0 });
  await untilNodeIsReady(cluster.client);
  return {
    config: JSON.parse(cluster.kubeconfig()) as Kubeconfig,
    client: cluster.client,
    stop: () => cluster.stop(),
  };
}

/** Starts the API server alone, over memory. */
async function startServer(): Promise<Subject> {
  const stop = new AbortController();
  const env = { clock: systemClock, random: systemRandom, log: silentLogger };
  const pki = await ensurePki({ env, directory: undefined, serverNames: ["127.0.0.1"] });
  const server = testServer(env);
  const ended = server.run(stop.signal);
  const port = await serveHttps(server, pki, stop.signal);
  const client = new Client(new InProcessTransport(server.handle, identities.bootstrap));
  const wellKnown = {
    apiServer: { clusterIP: "10.96.0.1", address: "192.0.2.254", port },
    dns: undefined,
    serviceCIDR: "10.96.0.0/16",
  };
  await bootstrap(client, wellKnown, { clientCa: pki.ca.certificate, now: env.clock.now() });
  return {
    config: adminKubeconfig(`https://127.0.0.1:${port}`, pki.ca.certificate, pki.admin),
    client,
    stop: () => {
      stop.abort();
      return ended;
    },
  };
}

/** Resolves when Pods would be placed on a node. */
export async function untilNodeIsReady(client: Client): Promise<void> {
  for await (const batch of client.of(nodes).watch({ resourceVersion: "0" }))
    for (const { type, object } of batch) {
      if (type === "BOOKMARK") continue;
      const { spec, status } = object as Node;
      if (isConditionTrue(status.conditions, "Ready") && (spec.taints ?? []).length === 0) return;
    }
}

/** Creates a namespace in which Pods are admitted. */
export async function addNamespace({ client }: Subject, stage: Stage, name: string): Promise<void> {
  await client.of(namespaces).create({ metadata: { name } });
  const accounts = client.of(serviceAccounts, name);
  if (stage === "server") {
    await accounts.create({ metadata: { name: "default" } });
    return;
  }
  for await (const batch of accounts.watch({ fieldSelector: "metadata.name=default", resourceVersion: "0" }))
    if (batch.some(({ type }) => type === "ADDED")) return;
}
