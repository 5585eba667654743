import { expect, test } from "vitest";
import { endpoints } from "../../api/core/endpoints/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { endpointSliceMirroringController } from "./controller.ts";

const slices = async ({ client }: Testbed) => (await client.of(endpointSlices, "default").list()).items;
const addresses = async (bed: Testbed) =>
  (await slices(bed)).flatMap((slice) => slice.endpoints.flatMap((one) => one.addresses));

test("custom Endpoints are mirrored through create, update and delete", async () => {
  const bed = await startTestbed((env) => [endpointSliceMirroringController(env.clock)], {
    lagMs: (plural) => (plural === "endpointslices" ? 200 : 0),
  });
  const { client } = bed;
  await client
    .of(services, "default")
    .create({ metadata: { name: "web" }, spec: { ports: [{ name: "http", port: 80 }] } });
  const subset = (ip: string) => ({ addresses: [{ ip }], ports: [{ name: "http", port: 80 }] });
  const custom = client.of(endpoints, "default");
  await custom.create({ metadata: { name: "web" }, subsets: [subset("10.1.2.3")] });
  await bed.clock.advance(100);
  await custom.patch("web", { metadata: { labels: { a: "b" } } }, { type: "merge" });
  await bed.clock.advance(100);
  expect((await slices(bed)).length).toBe(1);
  await bed.until(async () => (await addresses(bed)).join() === "10.1.2.3");
  await bed.clock.advance(1000);
  expect((await slices(bed)).map(({ metadata }) => metadata.labels?.["a"])).toEqual(["b"]);
  await custom.patch("web", { subsets: [subset("10.2.3.4")] }, { type: "merge" });
  await bed.until(async () => (await addresses(bed)).join() === "10.2.3.4");
  await client.of(endpointSlices, "default").deleteCollection();
  await bed.until(async () => (await addresses(bed)).join() === "10.2.3.4");
  await custom.delete("web");
  await bed.until(async () => (await slices(bed)).length === 0);
  expect(bed.complaints).toEqual([]);
});

test("slices follow the Service's selector", async () => {
  const bed = await startTestbed((env) => [endpointSliceMirroringController(env.clock)]);
  const { client } = bed;
  const many = Array.from({ length: 1001 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  await client
    .of(endpoints, "default")
    .create({ metadata: { name: "web" }, subsets: [{ addresses: many, ports: [{ port: 80 }] }] });
  await bed.clock.advance(1000);
  expect(await slices(bed)).toEqual([]);
  const web = client.of(services, "default");
  await web.create({ metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
  await bed.until(async () => (await addresses(bed)).length === 1000);
  await bed.until(async () => (await bed.eventsOf("web")).length === 1);
  expect(await bed.eventsOf("web")).toEqual([
    "TooManyAddressesToMirror: A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped",
  ]);
  await web.patch("web", { spec: { selector: { app: "web" } } }, { type: "merge" });
  await bed.until(async () => (await slices(bed)).length === 0);
});
