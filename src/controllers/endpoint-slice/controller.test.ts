import { expect, test } from "vitest";
import { endpoints } from "../../api/core/endpoints/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { template } from "../builders.suite.ts";
import { endpointsController } from "../endpoints/controller.ts";
import { pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { endpointSliceController } from "./controller.ts";

const addPod = ({ client }: Testbed, name: string) =>
  client.of(pods, "default").create({ metadata: { name, labels: { app: "web" } }, spec: template.spec });
const slices = async ({ client }: Testbed) => (await client.of(endpointSlices, "default").list()).items;
const ready = async (bed: Testbed) =>
  (await slices(bed)).flatMap((slice) =>
    slice.endpoints.filter(({ conditions }) => conditions.ready === true),
  );

test("EndpointSlices and Endpoints follow a Service's Pods, and Endpoints are deleted with the Service", async () => {
  const bed = await startTestbed((env) => [endpointSliceController(env.clock), endpointsController()], {
    lagMs: (plural) => (plural === "endpointslices" ? 200 : 0),
  });
  bed.runAsAdmin(pretendNodes(bed.env, { startMs: 1000, stopMs: 1000 }));
  const { client } = bed;
  await client
    .of(nodes)
    .create({ metadata: { name: "node-1", labels: { "topology.kubernetes.io/zone": "z1" } } });
  const stray = {
    metadata: { name: "stray" },
    subsets: [{ addresses: [{ ip: "10.0.0.9" }], ports: [{ port: 1 }] }],
  };
  await client.of(endpoints, "default").create(stray);
  await client.of(services, "default").create({
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await bed.until(async () => (await slices(bed)).length === 1);
  for (const name of ["a", "b", "c"]) await addPod(bed, name);
  await bed.until(async () => (await ready(bed)).length === 3);
  const all = await slices(bed);
  expect(all.length).toBe(1);
  expect(all[0]?.endpoints[0]).toMatchObject({ nodeName: "node-1", zone: "z1", targetRef: { kind: "Pod" } });
  const mirror = () => client.of(endpoints, "default").get("web");
  await bed.until(async () => (await mirror()).subsets?.[0]?.addresses?.length === 3);
  await client.of(pods, "default").delete("a");
  await bed.until(async () => (await ready(bed)).length === 2);
  expect(
    (await slices(bed))[0]?.endpoints.find(({ targetRef }) => targetRef?.name === "a")?.conditions,
  ).toEqual({
    ready: false,
    serving: true,
    terminating: true,
  });
  await bed.until(async () => (await slices(bed))[0]?.endpoints.length === 2);
  await bed.until(async () => (await mirror()).subsets?.[0]?.addresses?.length === 2);
  await client.of(services, "default").delete("web");
  await bed.until(async () => (await client.of(endpoints, "default").list()).items.length === 1);
  expect((await client.of(endpoints, "default").list()).items[0]?.metadata.name).toBe("stray");
  expect(bed.complaints).toEqual([]);
});

test("a Pod on an unknown node becomes an endpoint as soon as the node exists", async () => {
  const bed = await startTestbed((env) => [endpointSliceController(env.clock)]);
  bed.runAsAdmin(pretendNodes(bed.env));
  await bed.client.of(services, "default").create({
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  await addPod(bed, "a");
  await bed.clock.advance(10_000);
  expect(await ready(bed)).toEqual([]);
  await bed.client.of(nodes).create({ metadata: { name: "node-1" } });
  await bed.until(async () => (await ready(bed)).length === 1);
});

test("a topology-aware Service gets hints once each zone has endpoints, and Events", async () => {
  const bed = await startTestbed((env) => [endpointSliceController(env.clock)]);
  const { client } = bed;
  for (const zone of ["a", "b"]) {
    const labels = { "topology.kubernetes.io/zone": zone };
    await client.of(nodes).create({ metadata: { name: `node-${zone}`, labels } });
    const status = { allocatable: { cpu: "1" }, conditions: [{ type: "Ready", status: "True" }] };
    await client.of(nodes).patch(`node-${zone}`, { status }, { type: "merge", subresource: "status" });
  }
  const annotations = { "service.kubernetes.io/topology-mode": "Auto" };
  await client.of(services, "default").create({
    metadata: { name: "web", annotations },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  await bed.until(async () => (await bed.eventsOf("web")).length > 0);
  expect(await bed.eventsOf("web")).toEqual([
    "TopologyAwareHintsDisabled: Insufficient number of endpoints (0 endpoints, 2 zones), addressType: IPv4",
  ]);
  for (const [index, zone] of ["a", "a", "a", "b"].entries()) {
    const name = `web-${index}`;
    await client.of(pods, "default").create({
      metadata: { name, labels: { app: "web" } },
      spec: { ...template.spec, nodeName: `node-${zone}` },
    });
    const status = {
      phase: "Running",
      podIP: `10.0.0.${index}`,
      podIPs: [{ ip: `10.0.0.${index}` }],
      conditions: [{ type: "Ready", status: "True" }],
    };
    await client.of(pods, "default").patch(name, { status }, { type: "merge", subresource: "status" });
  }
  const hints = async () =>
    (await slices(bed)).flatMap((slice) =>
      slice.endpoints.flatMap((one) => one.hints?.forZones?.[0]?.name ?? []),
    );
  await bed.until(async () => (await hints()).length === 4);
  expect((await hints()).sort()).toEqual(["a", "a", "b", "b"]);
  expect(await bed.eventsOf("web")).toContain(
    "TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4",
  );
  await client.of(services, "default").patch("web", { metadata: { annotations: null } }, { type: "merge" });
  await bed.until(async () => (await hints()).length === 0);
  expect(await bed.eventsOf("web")).toContain(
    "TopologyAwareHintsDisabled: Topology Aware Hints has been disabled",
  );
});
