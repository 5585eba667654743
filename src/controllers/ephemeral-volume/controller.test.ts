import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start, template } from "../builders.suite.ts";
import { startTestbed } from "../testbed.suite.ts";
import { ephemeralVolumeController } from "./controller.ts";
import { plan } from "./plan.ts";

const claimSpec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
const volumeClaimTemplate = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: claimSpec };
const volumes = [
  { name: "data", ephemeral: { volumeClaimTemplate } },
  { name: "tmp", emptyDir: {} },
];
const refused = "PVC default/web-data was not created for pod default/web (pod is not owner)";

const claim = (uid?: string) => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true };
  const ownerReferences = uid === undefined ? [] : [owner];
  return build(persistentVolumeClaims, {
    metadata: { name: "web-data", namespace: "default", ownerReferences },
    spec: claimSpec,
  });
};

test.each([
  ["a missing claim is created", {}, undefined, "create"],
  ["the Pod's claim is left alone", {}, claim("uid-web"), undefined],
  ["a claim of nobody is refused", {}, claim(), "refuse"],
  ["a claim of another Pod is refused", {}, claim("uid-other"), "refuse"],
  ["a terminating Pod gets no claim", { deletionTimestamp: formatTime(start) }, undefined, undefined],
])("%s", (_, metadata, found, type) => {
  const steps = plan(aPod("web", { metadata, spec: { volumes } }), () => found);
  expect(steps.map((one) => one.type)).toEqual(type === undefined ? [] : [type]);
  const [step] = steps;
  if (step?.type === "refuse") expect(step.why).toBe(refused);
});

test("the claim has the template's labels, belongs to the Pod, and is made again after its deletion", async () => {
  const bed = await startTestbed(() => [ephemeralVolumeController()]);
  const claims = bed.client.of(persistentVolumeClaims, "default");
  const pod = await bed.client.of(pods, "default").create({
    metadata: { name: "web" },
    spec: { ...template.spec, volumes },
  });
  const one = async () => (await claims.list()).items[0];
  await bed.until(async () => (await one()) !== undefined);
  const made = await one();
  expect(made?.metadata).toMatchObject({
    name: "web-data",
    labels: { a: "b" },
    annotations: { c: "d" },
    ownerReferences: [{ kind: "Pod", name: "web", uid: pod.metadata.uid, controller: true }],
  });
  await claims.patch("web-data", { metadata: { finalizers: null } }, { type: "merge" });
  await claims.delete("web-data");
  await bed.until(async () => {
    const uid = (await one())?.metadata.uid;
    return uid !== undefined && uid !== made?.metadata.uid;
  });
  expect(bed.complaints).toEqual([]);
});

test("a claim of the name that is not the Pod's is reported", async () => {
  const bed = await startTestbed(() => [ephemeralVolumeController()]);
  await bed.client
    .of(persistentVolumeClaims, "default")
    .create({ metadata: { name: "web-data" }, spec: claimSpec });
  await bed.client
    .of(pods, "default")
    .create({ metadata: { name: "web" }, spec: { ...template.spec, volumes } });
  await bed.until(async () => (await bed.eventsOf("web")).length > 0);
  expect(await bed.eventsOf("web")).toEqual([`FailedBinding: ephemeral volume data: ${refused}`]);
});
