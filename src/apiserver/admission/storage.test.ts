import { beforeEach, expect, test } from "vitest";
import { type Bed, inDefault, startBed } from "../server.suite.ts";

const classes = "/apis/storage.k8s.io/v1/storageclasses";
const claims = inDefault("persistentvolumeclaims");
const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const aClass = (name: string, more: object = {}, annotations: object = isDefault) =>
  bed.make(classes, { metadata: { name, annotations }, provisioner: "example.com/disk", ...more });

const claimBody = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});

const classOf = async (spec: object = {}, metadata: object = {}) =>
  (await bed.make(claims, claimBody("a", spec, metadata))).spec.storageClassName;

test("a claim without a class gets the youngest default class", async () => {
  await aClass("first");
  await aClass("other", {}, {});
  await bed.clock.advance(1000);
  await aClass("z");
  await aClass("y", {}, { "storageclass.beta.kubernetes.io/is-default-class": "true" });
  expect(await classOf()).toBe("y");
});

test.each<readonly [what: string, spec: object, metadata: object, expected: string | undefined]>([
  ["the empty class", { storageClassName: "" }, {}, ""],
  ["another class", { storageClassName: "other" }, {}, "other"],
  ["an annotated class", {}, { annotations: { "volume.beta.kubernetes.io/storage-class": "x" } }, undefined],
])("a claim that asks for %s keeps it", async (_, spec, metadata, expected) => {
  await aClass("first");
  expect(await classOf(spec, metadata)).toBe(expected);
});

test("without a default class a claim stays without a class", async () => {
  await aClass("other", {}, {});
  expect(await classOf()).toBeUndefined();
});

test("volumes, claims and their classes get the finalizer of their protection once", async () => {
  const volume = (name: string, finalizers?: string[]) =>
    bed.make("/api/v1/persistentvolumes", {
      metadata: { name, finalizers },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
    });
  const protection = "kubernetes.io/pv-protection";
  expect((await volume("a")).metadata.finalizers).toEqual([protection]);
  expect((await volume("b", [protection, "x/y"])).metadata.finalizers).toEqual([protection, "x/y"]);
  expect((await bed.make(claims, claimBody("a"))).metadata.finalizers).toEqual([
    "kubernetes.io/pvc-protection",
  ]);
  const attributes = { metadata: { name: "a" }, driverName: "example.com", parameters: { a: "b" } };
  const made = await bed.make("/apis/storage.k8s.io/v1/volumeattributesclasses", attributes);
  expect(made.metadata.finalizers).toEqual(["kubernetes.io/vac-protection"]);
});

const only =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

test.each([
  ["a claim whose class does not grow", { storageClassName: "stays" }, only],
  ["a claim whose class is missing", { storageClassName: "ghost" }, only],
  ["a claim without a class", { storageClassName: "" }, only],
  ["a claim whose class grows", { storageClassName: "grows" }, undefined],
])("%s is asked to expand", async (_, spec, refusal) => {
  await aClass("grows", { allowVolumeExpansion: true });
  await aClass("stays");
  await bed.make(claims, claimBody("a", { ...spec, volumeName: "v" }));
  const patch = (path: string, body: object) => bed.patch(path, body);
  await patch(`${claims}/a/status`, { status: { phase: "Bound", capacity: { storage: "1Gi" } } });
  const grown = await patch(`${claims}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } });
  if (refusal === undefined) expect(grown.status).toBe(200);
  else {
    expect(grown.status).toBe(403);
    expect(grown.body.message).toBe(`persistentvolumeclaims "a" is forbidden: ${refusal}`);
  }
  expect((await patch(`${claims}/a`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
});
