import { expect, test } from "vitest";
import { load, type Manifest } from "../../pipeline.suite.ts";
import { toV1, toV2 } from "./conversion.ts";
import type { HorizontalPodAutoscaler } from "./schema.ts";

const metric = { name: "rate", selector: { matchLabels: { app: "web" } } };
const describedObject = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const cpu = { type: "Utilization", averageUtilization: 50 };

const autoscaler: Manifest = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "default", annotations: { mine: "1" } },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 2,
    maxReplicas: 9,
    metrics: [
      { type: "Object", object: { metric, describedObject, target: { type: "Value", value: "1k" } } },
      { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "10" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "main", target: cpu },
      },
      { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "30" } } },
      { type: "Resource", resource: { name: "cpu", target: cpu } },
    ],
    behavior: { scaleDown: { stabilizationWindowSeconds: 60, tolerance: "50m" } },
  },
  status: {
    currentReplicas: 3,
    desiredReplicas: 4,
    currentMetrics: [
      { type: "Object", object: { metric, describedObject, current: { value: "900" } } },
      { type: "Pods", pods: { metric, current: { averageValue: "9" } } },
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageValue: "200m", averageUtilization: 40 } },
      },
    ],
    conditions: [{ type: "ScalingActive", status: "True", reason: "ValidMetricFound" }],
  },
};

test("an autoscaler survives the conversion to v1 and back", () => {
  const newer = load(autoscaler) as unknown as HorizontalPodAutoscaler;
  const older = toV1(newer);
  expect(older.spec.targetCPUUtilizationPercentage).toBe(50);
  expect(older.status.currentCPUUtilizationPercentage).toBe(40);
  expect(toV2(older)).toEqual(newer);
});
