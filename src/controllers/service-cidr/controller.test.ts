import { expect, test } from "vitest";
import { services } from "../../api/core/service/schema.ts";
import { serviceCIDRs } from "../../api/networking/service-cidr/schema.ts";
import { startTestbed } from "../testbed.suite.ts";
import { serviceCidrController } from "./controller.ts";

test("a ServiceCIDR becomes ready, and its deletion waits for the Services with its addresses", async () => {
  const bed = await startTestbed(() => [serviceCidrController()]);
  const own = bed.client.of(serviceCIDRs);
  const ready = async () =>
    (await own.get("main")).status.conditions?.map(({ type, status, reason }) => [type, status, reason]);
  await own.create({ metadata: { name: "main" }, spec: { cidrs: ["10.96.0.0/16"] } });
  await bed.until(async () => (await ready()) !== undefined);
  expect(await ready()).toEqual([["Ready", "True", ""]]);
  expect((await own.get("main")).metadata.finalizers).toEqual(["networking.k8s.io/service-cidr-finalizer"]);
  const web = bed.client.of(services, "default");
  await web.create({ metadata: { name: "web" }, spec: { clusterIP: "10.96.0.9", ports: [{ port: 80 }] } });
  await own.delete("main");
  await bed.until(async () => (await ready())?.[0]?.[1] === "False");
  expect(await ready()).toEqual([["Ready", "False", "Terminating"]]);
  await bed.clock.advance(60_000);
  expect((await own.list()).items.length).toBe(1);
  await web.delete("web");
  await bed.until(async () => (await own.list()).items.length === 0);
  expect(bed.complaints).toEqual([]);
});
