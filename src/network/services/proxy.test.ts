import type { Event } from "../../api/core/event/schema.ts";
import { afterEach, expect, test } from "vitest";
import { FakeApi } from "../../client/fake-api.suite.ts";
import { InProcessTransport } from "../../client/in-process.ts";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { aPod, aService, aSlice, endpoint } from "../builders.suite.ts";
import type { Refusal } from "./backend.ts";
import type { ServicePort } from "./plan.ts";
import { ServiceProxy } from "./proxy.ts";

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

/** A proxy with a backend that records its plans, as `name=addresses`, and fails as often as set. */
async function start() {
  const api = new FakeApi("services", "endpointslices", "nodes", "pods", "events");
  api.put("services", aService("web"));
  api.put("endpointslices", aSlice("web", [endpoint("10.244.0.1")]));
  const clock = new VirtualClock();
  const synced: string[] = [];
  const errors: object[] = [];
  const faults = { left: 0, intact: true };
  const refusals: Refusal[] = [];
  const backend = {
    name: "fake",
    async sync(plan: readonly ServicePort[]) {
      if (faults.left-- > 0) throw new Error("no rules today");
      synced.push(
        plan
          .map(({ name, endpoints, external }) =>
            [name, (external ?? { endpoints }).endpoints.map((one) => one.address).join()].join("="),
          )
          .join(" "),
      );
      return refusals;
    },
    isIntact: async () => faults.intact,
    async close() {
      synced.push("closed");
      if (faults.left-- > 0) throw new Error("no rules today");
    },
  };
  const log = {
    ...silentLogger,
    error: (message: string, facts = {}) => void errors.push({ message, ...facts }),
  };
  const env = { clock, random: seededRandom(1), log };
  const transport = new InProcessTransport(api.handle, { name: "system:kube-proxy", groups: [] });
  const stop = new AbortController();
  const run = new ServiceProxy({
    env,
    transport,
    podsTransport: transport,
    nodeName: "node-1",
    backend,
  }).run(stop.signal);
  const end = async () => {
    stop.abort();
    await run;
  };
  running.push(end);
  await clock.advance(100);
  return { api, clock, synced, errors, faults, refusals, end };
}

const first = "default/web:http=10.244.0.1";
const second = "default/web:http=10.244.0.1,10.244.0.2";

test("the backend follows Services and endpoints, and is closed at the end", async () => {
  const { api, clock, synced, end } = await start();
  expect(synced).toEqual([first]);
  api.put("endpointslices", aSlice("web", [endpoint("10.244.0.1"), endpoint("10.244.0.2")]));
  await clock.advance(100);
  api.remove("services", "default", "web");
  await clock.advance(100);
  await end();
  expect(synced).toEqual([first, second, "", "closed"]);
});

test("simultaneous changes are carried out together, and changes that leave the plan equal are not", async () => {
  const { api, clock, synced } = await start();
  for (const address of ["10.244.0.3", "10.244.0.4", "10.244.0.2"]) {
    api.put("endpointslices", aSlice("web", [endpoint("10.244.0.1"), endpoint(address)]));
  }
  await clock.advance(100);
  api.put("services", aService("web", { type: "ClusterIP" }));
  await clock.advance(100);
  expect(synced).toEqual([first, second]);
});

test("a failure of the backend is reported and retried until it succeeds", async () => {
  const { api, clock, synced, errors, faults } = await start();
  faults.left = 2;
  api.put("endpointslices", aSlice("web", [endpoint("10.244.0.1"), endpoint("10.244.0.2")]));
  await clock.advance(1500);
  expect(synced).toEqual([first]);
  await clock.advance(1000);
  expect(synced).toEqual([first, second]);
  const error = {
    message: "Services could not be brought up to date",
    backend: "fake",
    error: "Error: no rules today",
  };
  expect(errors).toEqual([error, error]);
});

test("a failure to close the backend is reported", async () => {
  const { errors, faults, end } = await start();
  faults.left = 1;
  await end();
  expect(errors).toEqual([
    { message: "Cannot remove the Services", backend: "fake", error: "Error: no rules today" },
  ]);
});

const eventsIn = (api: FakeApi) =>
  api.objects("events").map((one) => {
    const { involvedObject, reason, message } = one as Partial<Event>;
    return `${involvedObject?.kind} ${involvedObject?.name} ${reason}: ${message}`;
  });

test("host ports follow the node's Pods, and a conflict is an Event, once", async () => {
  const { api, clock, synced } = await start();
  const web = { containerPort: 8080, hostPort: 80 };
  api.put("pods", aPod("a", [web]));
  await clock.advance(100);
  expect(synced.at(-1)).toBe(`default/a:80=10.244.0.2 ${first}`);
  for (const podIP of ["10.244.0.3", "10.244.0.4"]) {
    api.put("pods", aPod("b", [web], { status: { podIP } }));
    await clock.advance(100);
  }
  expect(eventsIn(api)).toEqual([
    "Pod b HostPortConflict: Host port 80/TCP is not served: default/a:80 has it",
  ]);
  api.remove("pods", "default", "a");
  await clock.advance(100);
  expect(synced.at(-1)).toBe(`default/b:80=10.244.0.4 ${first}`);
});

test("a port that the backend refuses is an Event of its Service", async () => {
  const { api, clock, refusals } = await start();
  const where = "127.0.0.1:30080";
  refusals.push({ service: "default/web:http", isHostPort: false, where, problem: "in use" });
  for (const address of ["10.244.0.2", "10.244.0.3"]) {
    api.put("endpointslices", aSlice("web", [endpoint(address)]));
    await clock.advance(100);
  }
  expect(eventsIn(api)).toEqual(["Service web ServicePortNotServed: 127.0.0.1:30080 is not served: in use"]);
});

test("the node's zone decides about hinted endpoints, also when it changes", async () => {
  const { api, clock, synced } = await start();
  const hinted = (address: string, zone: string) =>
    endpoint(address, { ready: true }, { hints: { forZones: [{ name: zone }] } });
  api.put("nodes", aNode("a"));
  api.put("endpointslices", aSlice("web", [hinted("10.244.0.1", "a"), hinted("10.244.0.2", "b")]));
  await clock.advance(100);
  api.put("nodes", aNode("b"));
  await clock.advance(100);
  expect(synced.slice(-2)).toEqual([first, "default/web:http=10.244.0.2"]);
});

function aNode(zone: string) {
  const labels = { "topology.kubernetes.io/zone": zone };
  return { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", labels } };
}

test("a machine that has lost what the backend made gets it again within half a minute", async () => {
  const { clock, synced, faults } = await start();
  await clock.advance(120_000);
  expect(synced).toEqual([first]);
  faults.intact = false;
  await clock.advance(30_000);
  faults.intact = true;
  await clock.advance(120_000);
  expect(synced).toEqual([first, first]);
});
