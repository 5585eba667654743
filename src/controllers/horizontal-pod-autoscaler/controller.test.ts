import { expect, test } from "vitest";
import { deployments } from "../../api/apps/deployment/schema.ts";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { customResourceDefinitions } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { horizontalPodAutoscalers } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { findCondition } from "../../meta/conditions.ts";
import { template } from "../builders.suite.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { horizontalPodAutoscalerController } from "./controller.ts";

const selector = { matchLabels: { app: "web" } };
const start = () => startTestbed(() => [horizontalPodAutoscalerController()]);
const metrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
];

const autoscale = (
  { client }: Testbed,
  name: string,
  kind: string,
  spec: object = {},
  apiVersion = "apps/v1",
) =>
  client.of(horizontalPodAutoscalers, "default").create({
    metadata: { name },
    spec: { scaleTargetRef: { apiVersion, kind, name: "web" }, maxReplicas: 3, metrics, ...spec },
  });
const statusOf = async ({ client }: Testbed, name = "web") =>
  (await client.of(horizontalPodAutoscalers, "default").get(name)).status;
const conditionOf = async (bed: Testbed, type: string, name = "web") =>
  findCondition((await statusOf(bed, name)).conditions, type);

test("a Deployment above the maximum is scaled down after one period, and the status says so", async () => {
  const bed = await start();
  const resource = bed.client.of(deployments, "default");
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 5, selector, template } });
  await autoscale(bed, "web", "Deployment");
  await bed.clock.advance(14_000);
  expect((await resource.get("web")).spec.replicas).toBe(5);
  await bed.clock.advance(1_000);
  await bed.clock.settle();
  expect((await resource.get("web")).spec.replicas).toBe(3);
  expect(await statusOf(bed)).toMatchObject({
    currentReplicas: 5,
    desiredReplicas: 3,
    lastScaleTime: expect.any(String),
  });
  expect(await bed.eventsOf("web")).toEqual([
    "SuccessfulRescale: New size: 3; reason: Current number of replicas above Spec.MaxReplicas",
  ]);
  expect(bed.complaints).toEqual([]);
});

test("without metrics, a target within its bounds stays, and the status settles", async () => {
  const bed = await start();
  const { client } = bed;
  await client
    .of(deployments, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 2, selector, template } });
  await autoscale(bed, "web", "Deployment");
  await bed.until(
    async () => (await conditionOf(bed, "ScalingActive"))?.reason === "FailedGetResourceMetric",
  );
  const { resourceVersion } = (await client.of(horizontalPodAutoscalers, "default").get("web")).metadata;
  await bed.clock.advance(60_000);
  await bed.clock.settle();
  const after = await client.of(horizontalPodAutoscalers, "default").get("web");
  expect(after.metadata.resourceVersion).toBe(resourceVersion);
  expect(after.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0 });
  const reasons = (await bed.eventsOf("web")).map((text) => text.split(":")[0]);
  expect(reasons).toEqual(["FailedGetResourceMetric", "FailedComputeMetricsReplicas"]);
});

test("a custom resource with a scale is scaled, whatever version the reference names", async () => {
  const bed = await start();
  const { client } = bed;
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.of(customResourceDefinitions).create({
    metadata: { name: "packs.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "packs", kind: "Pack" },
      versions: [{ name: "v1", served: true, storage: true, schema, subresources: { scale } }],
    },
  });
  await bed.clock.advance(60_000);
  const ref = { group: "example.com", version: "v1", plural: "packs", kind: "Pack", namespaced: true };
  const packs = client.resource(ref, "default");
  await packs.create({ metadata: { name: "web" }, spec: { replicas: 1 } });
  await autoscale(bed, "web", "Pack", { minReplicas: 2 }, "example.com/v1beta1");
  await bed.until(async () => (await statusOf(bed)).desiredReplicas === 2);
  expect(await packs.get("web")).toMatchObject({ spec: { replicas: 2 } });
  await bed.until(async () => (await conditionOf(bed, "ScalingActive"))?.reason === "InvalidSelector");
  expect(await bed.eventsOf("web")).toContain("SelectorRequired: selector is required");
});

test.each([
  ["Ghost", "example.com/v1", 'no matches for kind "Ghost" in group "example.com"'],
  ["ReplicaSet", "apps/v1", 'replicasets.apps "web" not found'],
])("a target %s of %s that does not exist is named", async (kind, apiVersion, message) => {
  const bed = await start();
  await autoscale(bed, "web", kind, {}, apiVersion);
  await bed.until(async () => (await conditionOf(bed, "AbleToScale"))?.status === "False");
  expect(await conditionOf(bed, "AbleToScale")).toMatchObject({
    reason: "FailedGetScale",
    message: `the HPA controller was unable to get the target's current scale: ${message}`,
  });
  expect(await bed.eventsOf("web")).toContain(`FailedGetScale: ${message}`);
});

test("Pods that two autoscalers select are scaled by neither", async () => {
  const bed = await start();
  const { client } = bed;
  const spec = { replicas: 2, selector, template };
  await client.of(deployments, "default").create({ metadata: { name: "web" }, spec });
  await client.of(replicaSets, "default").create({ metadata: { name: "web" }, spec });
  await client
    .of(pods, "default")
    .create({ metadata: { name: "a", labels: { app: "web" } }, spec: template.spec });
  await autoscale(bed, "one", "Deployment");
  await autoscale(bed, "two", "ReplicaSet");
  const reasonOf = async (name: string) => (await conditionOf(bed, "ScalingActive", name))?.reason;
  await bed.until(async () => (await reasonOf("one")) === "AmbiguousSelector");
  const message = "pods by selector app=web are controlled by multiple HPAs: [default/one default/two]";
  expect(await conditionOf(bed, "ScalingActive", "two")).toMatchObject({
    reason: "AmbiguousSelector",
    message,
  });
  await client.of(horizontalPodAutoscalers, "default").delete("two");
  await bed.until(async () => (await reasonOf("one")) === "FailedGetResourceMetric");
});
