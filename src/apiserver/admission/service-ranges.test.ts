import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, type Json, inDefault, startBed } from "../server.suite.ts";
import { parseNetwork } from "../../util/ipv4.ts";
import { freeAddress, gives } from "./service-ranges.ts";

describe("a free address", () => {
  const all = (cidr: string) => {
    const taken = new Set<string>();
    for (;;) {
      const address = freeAddress(parseNetwork(cidr), (one) => taken.has(one), 0.5);
      if (address === undefined) return [...taken];
      taken.add(address);
    }
  };

  test.each([
    ["10.0.0.0/24", 254],
    ["10.0.0.0/28", 14],
    ["10.0.0.0/30", 2],
    ["10.0.0.0/31", 0],
    ["10.0.0.0/32", 0],
  ])("of %s is each of its addresses but the first and the last, once", (cidr, count) => {
    const addresses = all(cidr);
    expect(addresses.length).toBe(count);
    expect(addresses.every((address) => gives(parseNetwork(cidr), address))).toBe(true);
  });

  test("is one of those for static allocation only when no other is free", () => {
    const addresses = all("10.0.0.0/24").map((address) => Number(address.split(".")[3]));
    expect(addresses.slice(-16).every((number) => number <= 16)).toBe(true);
    expect(addresses.slice(0, -16).every((number) => number > 16)).toBe(true);
  });
});

describe("addresses of Services", () => {
  const services = inDefault("services");
  const cidrs = "/apis/networking.k8s.io/v1/servicecidrs";
  const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
  let bed: Bed;
  beforeEach(async () => {
    bed = await startBed();
  });

  const service = (name: string, spec: object = {}) => ({
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  });
  const ready = { type: "Ready", status: "True", reason: "", message: "", lastTransitionTime: null };
  const addCidr = async (name: string, cidr: string, isReady = true) => {
    const made = await bed.make(cidrs, {
      metadata: { name, finalizers: ["a.b/c"] },
      spec: { cidrs: [cidr] },
    });
    if (!isReady) return;
    const status = { conditions: [{ ...ready, lastTransitionTime: made.metadata.creationTimestamp }] };
    const { status: code } = await bed.put(`${cidrs}/${name}/status`, { ...made, status });
    expect(code).toBe(200);
  };
  const records = async (): Promise<readonly string[]> =>
    (await bed.get(addresses)).body.items.map(({ metadata }: Json) => metadata.name);

  test("are recorded as IPAddresses for as long as their Service has them", async () => {
    const made = await bed.make(services, service("web"));
    const address = made.spec.clusterIP;
    const record = (await bed.get(`${addresses}/${address}`)).body;
    expect(record.spec).toEqual({ parentRef: { resource: "services", namespace: "default", name: "web" } });
    expect(record.metadata.labels).toEqual({
      "ipaddress.kubernetes.io/ip-family": "IPv4",
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    });
    expect(record.metadata.managedFields[0].manager).toBe("kube-apiserver");

    await bed.patch(`${services}/web`, { spec: { type: "ExternalName", externalName: "a.b" } });
    expect(await records()).toEqual([]);
    const back = await bed.patch(`${services}/web`, { spec: { type: "ClusterIP", externalName: null } });
    expect(await records()).toEqual([back.body.spec.clusterIP]);
    await bed.delete(`${services}/web`);
    expect(await records()).toEqual([]);
  });

  test("have no IPAddress when the Service is not stored, or is headless", async () => {
    await bed.make(services, service("web"));
    expect((await bed.post(services, service("web"))).status).toBe(409);
    expect((await bed.post(`${services}?dryRun=All`, service("dry"))).status).toBe(201);
    expect((await bed.post(services, service("bad", { sessionAffinity: "x" }))).status).toBe(422);
    await bed.make(services, service("headless", { clusterIP: "None" }));
    expect((await records()).length).toBe(1);
  });

  test("come from further ranges when the first is full", async () => {
    await addCidr("kubernetes", "10.1.0.0/30");
    await addCidr("more", "10.2.0.0/30");
    await addCidr("unready", "10.3.0.0/24", false);
    const made: string[] = [];
    for (const name of ["a", "b", "c", "d"])
      made.push((await bed.make(services, service(name))).spec.clusterIP);
    expect(made.slice(0, 2).toSorted()).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(made.slice(2).toSorted()).toEqual(["10.2.0.1", "10.2.0.2"]);
    const full = await bed.post(services, service("e"));
    expect(full.status).toBe(500);
    expect(full.body.message).toContain('failed to allocate a serviceIP for Service "e": range is full');
  });

  test("are not given by ranges that are terminating or not ready, but kept", async () => {
    await addCidr("more", "10.2.0.0/24");
    await bed.make(services, service("kept", { clusterIP: "10.2.0.9" }));
    await bed.delete(`${cidrs}/more`);
    await addCidr("unready", "10.3.0.0/24", false);
    for (const clusterIP of ["10.2.0.10", "10.3.0.1", "10.2.0.0", "10.96.255.255"]) {
      const refused = await bed.post(services, service("new", { clusterIP }));
      expect(refused.body.message).toContain(
        `failed to allocate IP ${clusterIP}: the provided network does not match the current range`,
      );
    }
    const changed = await bed.patch(`${services}/kept`, { metadata: { labels: { a: "b" } } });
    expect(changed.body.spec.clusterIP).toBe("10.2.0.9");
  });

  test("are not those of IPAddresses that others made", async () => {
    const parentRef = { group: "example.com", resource: "gateways", name: "a" };
    await bed.make(addresses, { metadata: { name: "10.96.0.7" }, spec: { parentRef } });
    const refused = await bed.post(services, service("web", { clusterIP: "10.96.0.7" }));
    expect(refused.body.message).toContain("provided IP is already allocated");
    await addCidr("kubernetes", "10.1.0.0/30");
    await bed.make(addresses, { metadata: { name: "10.1.0.1" }, spec: { parentRef } });
    expect((await bed.make(services, service("web"))).spec.clusterIP).toBe("10.1.0.2");
  });

  test("never belong to a Service and an IPAddress that are created at the same time", async () => {
    const parentRef = { group: "example.com", resource: "gateways", name: "a" };
    const [web, record] = await Promise.all([
      bed.post(services, service("web", { clusterIP: "10.96.0.7" })),
      bed.post(addresses, { metadata: { name: "10.96.0.7" }, spec: { parentRef } }),
    ]);
    const made = [web, record].filter(({ status }) => status === 201);
    expect(made.length).toBe(1);
  });
});
