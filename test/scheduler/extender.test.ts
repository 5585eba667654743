import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { events, nodes, pods } from "../../src/api/index.ts";
import { bindings } from "../../src/api/core/binding/schema.ts";
import { identities } from "../../src/cluster/identities.ts";
import { readConfiguration } from "../../src/scheduler/configuration/read.ts";
import { Extender } from "../../src/scheduler/extenders/extender.ts";
import { httpPost } from "../../src/scheduler/extenders/http.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster, type TestCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";

let cluster: TestCluster;
let server: Server;
let stop: () => Promise<void>;
/** The only node that the extender accepts; undefined while it is broken. */
let accepted: string | undefined;

beforeEach(async () => {
  accepted = "node-2";
  cluster = await startCluster({ clock: systemClock, nodes: 3, schedules: false });
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      void answer(request.url ?? "", JSON.parse(Buffer.concat(chunks).toString())).then((value) =>
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
    filterVerb: filter
    bindVerb: bind
    nodeCacheCapable: true
`);
  const signal = new AbortController();
  const scheduler = new Scheduler({
    env: { clock: systemClock, random: systemRandom, log: silentLogger },
    transport: cluster.as(identities.scheduler),
    profiles,
    extenders: (configuration.extenders ?? []).map((one) => new Extender(one, httpPost(one))),
  });
  const ended = scheduler.run(signal.signal);
  stop = async () => {
    signal.abort();
    await ended;
    await cluster.stop();
    server.closeAllConnections();
    server.close();
  };
  await cluster.waitFor(async () =>
    (await cluster.client.of(nodes).list()).items.every(({ spec }) => (spec.taints ?? []).length === 0),
  );
});
afterEach(() => stop());

async function answer(url: string, body: { readonly PodName: string; readonly Node: string }) {
  if (accepted === undefined) return undefined;
  if (url === "/extend/filter") return { NodeNames: [accepted] };
  const { apiVersion, kind } = bindings;
  const metadata = { name: body.PodName, annotations: { "example.com/bound-by": "extender" } };
  await cluster.client
    .of(pods, "default")
    .subresource(body.PodName, "binding")
    .create({ apiVersion, kind, metadata, target: { kind: "Node", name: body.Node } });
  return {};
}

const own = () => cluster.client.of(pods, "default");
const create = (name: string) =>
  own().create({ metadata: { name }, spec: { containers: [{ name: "main", image: "web:1" }] } });

test("an extender over HTTP decides on the node, and binds the Pod", async () => {
  await create("pod");
  await cluster.waitFor(async () => (await own().get("pod")).spec.nodeName !== undefined);
  const { metadata, spec } = await own().get("pod");
  expect([spec.nodeName, metadata.annotations]).toEqual(["node-2", { "example.com/bound-by": "extender" }]);
});

test("while the extender is broken, the Pod's event says so; it is tried again after its back-off", async () => {
  accepted = undefined;
  await create("pod");
  const failures = async () =>
    (await cluster.client.of(events, "default").list()).items.filter(
      ({ reason }) => reason === "FailedScheduling",
    );
  await cluster.waitFor(async () => (await failures()).length > 0);
  expect((await failures())[0]?.message).toMatch(/^failed with extender at URL http:.*filter, code 500$/);
  accepted = "node-3";
  await cluster.waitFor(async () => (await own().get("pod")).spec.nodeName === "node-3");
});
