import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { nodes } from "../../src/api/index.ts";
import { identities } from "../../src/cluster/identities.ts";
import { readConfiguration } from "../../src/scheduler/configuration/read.ts";
import { Extender } from "../../src/scheduler/extenders/extender.ts";
import { httpPost } from "../../src/scheduler/extenders/http.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster, type TestCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";

/** Returns the answer to a request for a path, whose body was JSON; undefined for an answer with 500. */
export type Answer = (path: string, body: unknown) => Promise<object | undefined> | object | undefined;

/** Serves an extender on loopback, and runs a scheduler that asks it. `settings` are its fields in YAML, one a line. */
export async function startWithExtender(
  nodeCount: number,
  settings: readonly string[],
  answer: Answer,
): Promise<{ readonly cluster: TestCluster; readonly stop: () => Promise<void> }> {
  const cluster = await startCluster({ clock: systemClock, nodes: nodeCount, schedules: false });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      void Promise.resolve(answer(request.url ?? "", body)).then((value) =>
        response.writeHead(value === undefined ? 500 : 200).end(JSON.stringify(value)),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { profiles, configuration } = readConfiguration(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
  - urlPrefix: http://127.0.0.1:${port}/extend
${settings.map((line) => `    ${line}\n`).join("")}`);
  const signal = new AbortController();
  const scheduler = new Scheduler({
    env: { clock: systemClock, random: systemRandom, log: silentLogger },
    transport: cluster.as(identities.scheduler),
    profiles,
    extenders: (configuration.extenders ?? []).map((one) => new Extender(one, httpPost(one))),
  });
  const ended = scheduler.run(signal.signal);
  await cluster.waitFor(async () =>
    (await cluster.client.of(nodes).list()).items.every(({ spec }) => (spec.taints ?? []).length === 0),
  );
  return {
    cluster,
    stop: async () => {
      signal.abort();
      await ended;
      await cluster.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}
