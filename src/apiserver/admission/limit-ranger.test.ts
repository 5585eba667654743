import { beforeEach, expect, test } from "vitest";
import { type Bed, inDefault, podBody, startBed } from "../server.suite.ts";

const pods = inDefault("pods");

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const bound = (type: string, limits: object) =>
  bed.make(inDefault("limitranges"), {
    metadata: { name: "bounds" },
    spec: { limits: [{ type, ...limits }] },
  });
const podWith = (resources: object) =>
  podBody("p", { spec: { containers: [{ name: "c", image: "example.com/c", resources }] } });

test("a Pod gets defaults, and an annotation that lists them", async () => {
  await bound("Container", {
    default: { cpu: "500m", memory: "1Gi" },
    defaultRequest: { cpu: "100m", memory: "200Mi" },
  });
  const { spec, metadata } = await bed.make(pods, podWith({ requests: { cpu: "50m" } }));
  expect(spec.containers[0].resources).toEqual({
    limits: { cpu: "500m", memory: "1Gi" },
    requests: { cpu: "50m", memory: "200Mi" },
  });
  expect(metadata.annotations).toEqual({
    "kubernetes.io/limit-ranger":
      "LimitRanger plugin set: memory request for container c; cpu, memory limit for container c",
  });
});

test.each([
  [
    "Container",
    { min: { cpu: "100m" } },
    { requests: { cpu: "50m" } },
    "minimum cpu usage per Container is 100m, but request is 50m",
  ],
  ["Pod", { min: { memory: "1Mi" } }, {}, "minimum memory usage per Pod is 1Mi.  No request is specified"],
  [
    "Pod",
    { max: { memory: "1Gi" } },
    { requests: { memory: "1Mi" } },
    "maximum memory usage per Pod is 1Gi.  No limit is specified",
  ],
  ["Pod", { max: { cpu: "1" } }, { limits: { cpu: "2" } }, "maximum cpu usage per Pod is 1, but limit is 2"],
  [
    "Pod",
    { maxLimitRequestRatio: { cpu: "2" } },
    { requests: { cpu: "100m" }, limits: { cpu: "500m" } },
    "cpu max limit to request ratio per Pod is 2, but provided ratio is 5.000000",
  ],
])("a Pod out of the bounds for a %s of %j is refused", async (type, bounds, resources, why) => {
  await bound(type, bounds);
  const { status, body } = await bed.post(pods, podWith(resources));
  expect(status).toBe(403);
  expect(body.message).toBe(`pods "p" is forbidden: ${why}`);
});

test("a claim out of the bounds is refused", async () => {
  await bound("PersistentVolumeClaim", { min: { storage: "1Gi" }, max: { storage: "2Gi" } });
  const claim = (storage: string) => ({
    metadata: { name: "v" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
  const claims = inDefault("persistentvolumeclaims");
  const { body } = await bed.post(claims, claim("3Gi"));
  expect(body.message).toContain(
    "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi",
  );
  expect((await bed.post(claims, claim("1500Mi"))).status).toBe(201);
});
