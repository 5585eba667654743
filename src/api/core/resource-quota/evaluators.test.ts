import { describe, expect, test } from "vitest";
import { decode } from "../../../meta/decode.ts";
import type { Kind, ObjectOf } from "../../../meta/kind.ts";
import { resourceClaims } from "../../resource/resource-claim/schema.ts";
import { persistentVolumeClaims } from "../persistent-volume-claim/schema.ts";
import { pods } from "../pod/schema.ts";
import { services } from "../service/schema.ts";
import { formatAmounts } from "./amounts.ts";
import { claimEvaluator } from "./claim-evaluator.ts";
import { deviceEvaluator } from "./device-evaluator.ts";
import { type Evaluator, isInScopes } from "./evaluator.ts";
import { countedKinds, evaluatorOf } from "./evaluators.ts";
import { podEvaluator } from "./pod-evaluator.ts";
import type { ResourceQuota } from "./schema.ts";
import { serviceEvaluator } from "./service-evaluator.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

function object<K extends Kind>(kind: K, fields: object): ObjectOf<K> {
  const { apiVersion, kind: name } = kind;
  return {
    apiVersion,
    kind: name,
    ...decode(kind.schema, { metadata: { name: "x" }, ...fields }),
  } as ObjectOf<K>;
}
const container = (name: string, resources: object = {}, more: object = {}) => ({
  name,
  image: "example.com/c",
  resources,
  ...more,
});
const requests = (list: object) => ({ requests: list });
const pod = (spec: object, more: object = {}) =>
  object(pods, { spec: { containers: [container("c")], ...spec }, ...more });

describe("the usage of a Pod", () => {
  const usage = (spec: object, more: object = {}) => formatAmounts(podEvaluator.usage(pod(spec, more), now));
  const one = { "count/pods": "1", pods: "1" };

  test("counts requests and limits of compute resources, and requests of devices", () => {
    const list = { cpu: "500m", memory: "1Gi", "ephemeral-storage": "1G", "hugepages-2Mi": "4Mi" };
    const devices = { "example.com/gpu": "2", "kubernetes.io/other": "1" };
    const resources = { requests: { ...list, ...devices }, limits: { ...list, ...devices, cpu: "1" } };
    expect(usage({ containers: [container("c", resources)] })).toEqual({
      ...one,
      cpu: "500m",
      "requests.cpu": "500m",
      "limits.cpu": "1",
      memory: "1Gi",
      "requests.memory": "1Gi",
      "limits.memory": "1Gi",
      "ephemeral-storage": "1G",
      "requests.ephemeral-storage": "1G",
      "limits.ephemeral-storage": "1G",
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
      "requests.example.com/gpu": "2",
    });
  });

  const cpu = (text: string) => ({ ...one, cpu: text, "requests.cpu": text });
  test.each([
    ["the sum of containers", { containers: ["1", "2"] }, "3"],
    ["the largest init container", { containers: ["1"], initContainers: ["4", "3"] }, "4"],
  ])("is %s", (_, lists, expected) => {
    const spec = Object.fromEntries(
      Object.entries(lists).map(([field, amounts]) => [
        field,
        amounts.map((amount, i) => container(`${field}${i}`.toLowerCase(), requests({ cpu: amount }))),
      ]),
    );
    expect(usage(spec)).toEqual(cpu(expected));
  });

  test("adds sidecars to containers and to later init containers", () => {
    const sidecar = container("s", requests({ cpu: "1" }), { restartPolicy: "Always" });
    const initContainers = [sidecar, container("i", requests({ cpu: "2" }))];
    const containers = [container("c", requests({ cpu: "500m" }))];
    expect(usage({ containers, initContainers })).toEqual(cpu("3"));
  });

  test("takes Pod-level resources instead of those of containers, and adds the overhead", () => {
    const containers = [container("c", { requests: { cpu: "3" }, limits: { cpu: "3" } })];
    const resources = { requests: { cpu: "1" }, limits: { cpu: "2" } };
    expect(usage({ containers, resources, overhead: { cpu: "250m", memory: "1Mi" } })).toEqual({
      ...cpu("1250m"),
      "limits.cpu": "2250m",
      memory: "1Mi",
      "requests.memory": "1Mi",
    });
  });

  test("is the larger of present and desired requests during a resize", () => {
    const spec = { containers: [container("c", requests({ cpu: "1" }))] };
    const status = (conditions: readonly object[]) => ({
      status: { conditions, containerStatuses: [{ name: "c", resources: requests({ cpu: "2" }) }] },
    });
    expect(usage(spec, status([]))).toEqual(cpu("2"));
    const larger = { containers: [container("c", requests({ cpu: "3" }))] };
    expect(usage(larger, status([]))).toEqual(cpu("3"));
    const infeasible = { type: "PodResizePending", status: "True", reason: "Infeasible" };
    expect(usage(larger, status([infeasible]))).toEqual(cpu("2"));
  });

  const deleted = (deletionTimestamp: string) => ({
    metadata: { name: "x", deletionTimestamp, deletionGracePeriodSeconds: 30 },
  });
  test.each([
    ["running", {}, one],
    ["succeeded", { status: { phase: "Succeeded" } }, { "count/pods": "1" }],
    ["failed", { status: { phase: "Failed" } }, { "count/pods": "1" }],
    ["terminating", deleted("2025-12-31T23:59:30Z"), one],
    ["terminating beyond its grace period", deleted("2025-12-31T23:59:29Z"), { "count/pods": "1" }],
  ])("of phase %s", (_, more, expected) => {
    expect(usage({}, more)).toEqual(expected);
  });
});

describe("the amounts that a Pod must specify", () => {
  const missing = (spec: object, ...limited: string[]) => podEvaluator.missing(pod(spec), new Set(limited));

  test("are those of CPU and memory, by resource and container", () => {
    const containers = [container("b"), container("a", requests({ cpu: "1" }))];
    const spec = { containers, initContainers: [container("c")] };
    expect(missing(spec, "requests.cpu", "limits.memory", "pods", "requests.example.com/gpu")).toBe(
      "must specify limits.memory for: a,b,c; requests.cpu for: b,c",
    );
    expect(missing(spec, "pods", "ephemeral-storage")).toBeUndefined();
  });

  test("are none with Pod-level resources", () => {
    expect(missing({ resources: requests({ memory: "1Mi" }) }, "cpu")).toBeUndefined();
  });
});

describe("a scope", () => {
  const spec = (fields: object): ResourceQuota["spec"] => fields;
  const matches = <O extends ObjectOf<Kind>>(evaluator: Evaluator<O>, quota: object, one: O) =>
    isInScopes(evaluator, spec(quota), one);
  const selector = (scopeName: string, operator: string, values?: readonly string[]) => ({
    scopeSelector: {
      matchExpressions: [{ scopeName, operator, ...(values === undefined ? {} : { values }) }],
    },
  });
  const timed = pod({ activeDeadlineSeconds: 0 });
  const sized = pod({ containers: [container("c", requests({ cpu: "1" }))] });
  const urgent = pod({ priorityClassName: "urgent" });
  const term = { topologyKey: "zone", labelSelector: {} };
  const affine = (more: object) =>
    pod({
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, ...more }] },
      },
    });

  test.each([
    ["Terminating", timed, sized],
    ["NotTerminating", sized, timed],
    ["BestEffort", timed, sized],
    ["NotBestEffort", sized, timed],
    ["PriorityClass", urgent, sized],
    ["CrossNamespacePodAffinity", affine({ namespaceSelector: {} }), affine({})],
    ["CrossNamespacePodAffinity", affine({ namespaces: ["other"] }), sized],
  ])("%s contains some Pods and not others", (scope, inside, outside) => {
    for (const quota of [{ scopes: [scope] }, selector(scope, "Exists")]) {
      expect(matches(podEvaluator, quota, inside)).toBe(true);
      expect(matches(podEvaluator, quota, outside)).toBe(false);
    }
  });

  test.each([
    ["In", ["urgent"], true, false],
    ["In", ["other"], false, false],
    ["NotIn", ["urgent"], false, true],
    ["NotIn", ["other"], true, true],
    ["DoesNotExist", undefined, false, true],
  ])("PriorityClass %s %j selects by name", (operator, values, ofUrgent, ofOthers) => {
    const quota = selector("PriorityClass", operator, values);
    expect(matches(podEvaluator, quota, urgent)).toBe(ofUrgent);
    expect(matches(podEvaluator, quota, sized)).toBe(ofOthers);
  });

  test("is one of several, which must all match", () => {
    expect(matches(podEvaluator, { scopes: ["Terminating", "BestEffort"] }, timed)).toBe(true);
    expect(matches(podEvaluator, { scopes: ["Terminating", "NotBestEffort"] }, timed)).toBe(false);
  });

  test("VolumeAttributesClass contains claims by their present, desired and target class", () => {
    const claim = (volumeAttributesClassName?: string, status: object = {}) =>
      object(persistentVolumeClaims, { spec: { volumeAttributesClassName }, status });
    const gold = selector("VolumeAttributesClass", "In", ["gold"]);
    expect(matches(claimEvaluator, gold, claim("gold"))).toBe(true);
    expect(matches(claimEvaluator, gold, claim("silver"))).toBe(false);
    expect(matches(claimEvaluator, gold, claim("silver", { currentVolumeAttributesClassName: "gold" }))).toBe(
      true,
    );
    const changing = { modifyVolumeStatus: { targetVolumeAttributesClassName: "gold", status: "Pending" } };
    expect(matches(claimEvaluator, gold, claim(undefined, changing))).toBe(true);
    expect(matches(claimEvaluator, { scopes: ["VolumeAttributesClass"] }, claim())).toBe(false);
    expect(matches(podEvaluator, { scopes: ["VolumeAttributesClass"] }, sized)).toBe(false);
  });

  test("of Pods contains no Service", () => {
    expect(matches(serviceEvaluator, { scopes: ["NotTerminating"] }, object(services, {}))).toBe(false);
  });
});

describe("the usage of a Service", () => {
  const ports = [{ port: 80 }, { port: 443, nodePort: 30_000 }];
  test.each([
    [{ type: "ClusterIP" }, "0", "0"],
    [{ type: "NodePort" }, "2", "0"],
    [{ type: "LoadBalancer" }, "2", "1"],
    [{ type: "LoadBalancer", allocateLoadBalancerNodePorts: false }, "1", "1"],
  ])("with %j", (spec, nodePorts, loadBalancers) => {
    const service = object(services, { spec: { ports, ...spec } });
    expect(formatAmounts(serviceEvaluator.usage(service, now))).toEqual({
      "count/services": "1",
      services: "1",
      "services.nodeports": nodePorts,
      "services.loadbalancers": loadBalancers,
    });
  });
});

describe("the usage of a claim", () => {
  const usage = (spec: object, more: object = {}) => {
    const resources = requests({ storage: "1Gi" });
    const claim = object(persistentVolumeClaims, { spec: { resources, ...spec }, ...more });
    return formatAmounts(claimEvaluator.usage(claim, now));
  };
  const one = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" };

  test("is its storage, in total and by storage class", () => {
    expect(usage({})).toEqual({ ...one, "requests.storage": "1Gi" });
    expect(usage({ storageClassName: "gold" })).toEqual({
      ...one,
      "requests.storage": "1Gi",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
    });
  });

  test("rounds up to bytes, and is no less than the allocated storage", () => {
    expect(usage({ resources: requests({ storage: "1500m" }) })).toMatchObject({ "requests.storage": "2" });
    const status = { allocatedResources: { storage: "2Gi" } };
    expect(usage({}, { status })).toMatchObject({ "requests.storage": "2Gi" });
  });
});

test("the usage of a ResourceClaim is its devices by class, at worst", () => {
  const devices = {
    requests: [
      { name: "a", exactly: { deviceClassName: "gpu", count: 2 } },
      { name: "b", exactly: { deviceClassName: "nic", allocationMode: "All" } },
      {
        name: "c",
        firstAvailable: [
          { name: "x", deviceClassName: "gpu", count: 3 },
          { name: "y", deviceClassName: "gpu", count: 1 },
        ],
      },
    ],
  };
  const claim = object(resourceClaims, { spec: { devices } });
  expect(formatAmounts(deviceEvaluator.usage(claim, now))).toEqual({
    "count/resourceclaims.resource.k8s.io": "1",
    "gpu.deviceclass.resource.k8s.io/devices": "5",
    "nic.deviceclass.resource.k8s.io/devices": "32",
  });
});

describe("a kind", () => {
  test.each([
    [
      { group: "", plural: "pods" },
      ["count/pods", "limits.cpu", "requests.example.com/gpu", "requests.hugepages-2Mi"],
    ],
    [{ group: "", plural: "secrets" }, ["count/secrets", "secrets"]],
    [{ group: "batch", plural: "jobs" }, ["count/jobs.batch"]],
    [{ group: "", plural: "persistentvolumeclaims" }, ["gold.storageclass.storage.k8s.io/requests.storage"]],
  ])("%j uses its own resources of a quota", (kind, used) => {
    const others = ["count/other", "requests.kubernetes.io/x", "services", "pods.example.com", "count/jobs"];
    const evaluator = evaluatorOf(kind);
    expect([...used, ...others].filter((name) => evaluator?.uses(name))).toEqual(used);
  });

  test("is not counted when it is Event", () => {
    expect(evaluatorOf({ group: "", plural: "events" })).toBeUndefined();
    expect(evaluatorOf({ group: "events.k8s.io", plural: "events" })).toBeUndefined();
  });

  test("is counted by its count, or in the core group by its plural", () => {
    const names = [
      "secrets",
      "count/secrets",
      "count/jobs.batch",
      "count/pods",
      "count/events",
      "pods",
      "count/a.b.c",
    ];
    expect(countedKinds(names)).toEqual([
      { group: "", plural: "secrets" },
      { group: "batch", plural: "jobs" },
      { group: "b.c", plural: "a" },
    ]);
  });
});
