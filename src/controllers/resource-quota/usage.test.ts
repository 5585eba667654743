import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { formatAmounts, parseAmounts } from "../../api/core/resource-quota/amounts.ts";
import { claimEvaluator } from "../../api/core/resource-quota/claim-evaluator.ts";
import { deviceEvaluator } from "../../api/core/resource-quota/device-evaluator.ts";
import type { Evaluator } from "../../api/core/resource-quota/evaluator.ts";
import { podEvaluator } from "../../api/core/resource-quota/pod-evaluator.ts";
import {
  resourceQuotas,
  type ScopedResourceSelectorRequirement,
} from "../../api/core/resource-quota/schema.ts";
import { serviceEvaluator } from "../../api/core/resource-quota/service-evaluator.ts";
import { services } from "../../api/core/service/schema.ts";
import { resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import type { Kind, ObjectOf } from "../../meta/kind.ts";
import { build, start } from "../builders.suite.ts";
import { addUsage, zeroUsage } from "./plan.ts";

// Upstream's cases by value: `quota/v1/evaluator/core/*_test.go`, `resource_quota_controller_test.go`.

type List = Readonly<Record<string, string>>;

/** Reads `cpu=1 memory=2Gi`. */
const list = (text: string): List =>
  Object.fromEntries(text.split(" ").flatMap((word) => (word === "" ? [] : [word.split("=")])));
/** Amounts in the API's form, whatever their form in the table. */
const canonical = (text: string) => formatAmounts(parseAmounts(list(text)));

/** Reads `cpu=1/2`: a request and a limit. A missing one is empty. */
function resources(text: string) {
  const entries = Object.entries(list(text)).map(([name, both]) => [name, ...both.split("/")] as const);
  const side = (i: 1 | 2) =>
    Object.fromEntries(entries.flatMap((entry) => (entry[i] ? [[entry[0], entry[i]]] : [])));
  return { requests: side(1), limits: side(2) };
}

/** Reads containers, separated by `|`; those before `>` are init containers. */
function containers(text: string): object {
  const [init, main] = text.includes(">") ? text.split(">") : ["", text];
  const read = (part: string, prefix: string) =>
    part
      .split("|")
      .map((one, i) => ({ name: `${prefix}${i}`, image: "c", resources: resources(one.trim()) }));
  return { initContainers: init === "" ? [] : read(init ?? "", "init"), containers: read(main ?? "", "c") };
}
const aPod = (text: string, { spec = {}, status = {}, metadata = {} }: Parts = {}) =>
  build(pods, { metadata: { name: "p", ...metadata }, spec: { ...containers(text), ...spec }, status });
interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}
const deletedAt = (seconds: number) => ({
  metadata: {
    deletionTimestamp: new Date(start + seconds * 1000).toISOString(),
    deletionGracePeriodSeconds: 30,
  },
  status: { reason: "NodeLost" },
});
const podLevel = (text: string) => ({ spec: { resources: resources(text) } });
const present = (requests: List | undefined) => ({
  status: {
    containerStatuses: [{ name: "c0", ...(requests === undefined ? {} : { resources: { requests } }) }],
  },
});

describe("a Pod's usage", () => {
  const dongles = "requests.example.com/dongle=3";
  const classes = "requests.deviceclass.resource.kubernetes.io/dongle=3";
  const pages = "hugepages-2Mi=100Mi requests.hugepages-2Mi=100Mi";
  const disk = "ephemeral-storage=32Mi requests.ephemeral-storage=32Mi limits.ephemeral-storage=64Mi";
  const both = "cpu=4 memory=100M";
  test.each<readonly [string, string, Parts, string]>([
    ["CPU, init container", "cpu=1m/2m >", {}, "cpu=1m requests.cpu=1m limits.cpu=2m"],
    ["memory, init container", "memory=1m/2m >", {}, "memory=1m requests.memory=1m limits.memory=2m"],
    ["local storage, init container", "ephemeral-storage=32Mi/64Mi >", {}, disk],
    ["huge pages, init container", "hugepages-2Mi=100Mi/ >", {}, pages],
    ["extended resource, init container", "example.com/dongle=3/3 >", {}, dongles],
    ["device class, init container", "deviceclass.resource.kubernetes.io/dongle=3/3 >", {}, classes],
    ["CPU", "cpu=1m/2m", {}, "cpu=1m requests.cpu=1m limits.cpu=2m"],
    ["memory", "memory=1m/2m", {}, "memory=1m requests.memory=1m limits.memory=2m"],
    ["local storage", "ephemeral-storage=32Mi/64Mi", {}, disk],
    ["huge pages", "hugepages-2Mi=100Mi/", {}, pages],
    ["extended resource", "example.com/dongle=3/3", {}, dongles],
    ["device class", "deviceclass.resource.kubernetes.io/dongle=3/3", {}, classes],
    ["terminated", "example.com/dongle=3/3", { status: { phase: "Succeeded" } }, "pods="],
    [
      "init containers beyond the sum of containers",
      `cpu=4/8 memory=100M/200M example.com/dongle=4/4 | cpu=1/2 memory=50M/100M example.com/dongle=2/2
        > cpu=1/2 memory=50M/100M example.com/dongle=1/1 | cpu=2/5 memory=25M/50M example.com/dongle=2/2`,
      {},
      `${both} requests.cpu=4 requests.memory=100M limits.cpu=8 limits.memory=200M requests.example.com/dongle=4`,
    ],
    ["terminating beyond its grace period", "cpu=1/2 memory=50M/100M", deletedAt(-60), "pods="],
    ["terminating", "cpu=1/2", deletedAt(0), "cpu=1 requests.cpu=1 limits.cpu=2"],
    ["overhead", "cpu=1/2", { spec: { overhead: { cpu: "1" } } }, "cpu=2 requests.cpu=2 limits.cpu=3"],
    ["Pod-level CPU", "", podLevel("cpu=1m/2m"), "cpu=1m requests.cpu=1m limits.cpu=2m"],
    ["Pod-level memory", "", podLevel("memory=1Mi/2Mi"), "memory=1Mi requests.memory=1Mi limits.memory=2Mi"],
    [
      "Pod-level memory, local storage of a container",
      "ephemeral-storage=32Mi/64Mi",
      podLevel("memory=1Mi/2Mi"),
      `${disk} memory=1Mi requests.memory=1Mi limits.memory=2Mi`,
    ],
    [
      "lowered memory during a resize",
      "memory=200Mi/400Mi",
      present({ memory: "150Mi" }),
      "memory=200Mi requests.memory=200Mi limits.memory=400Mi",
    ],
    [
      "raised CPU during a resize",
      "cpu=100m/200m",
      present({ cpu: "150m" }),
      "cpu=150m requests.cpu=150m limits.cpu=200m",
    ],
    [
      "raised CPU and memory during a resize",
      "cpu=100m/200m memory=200Mi/400Mi",
      present({ cpu: "150m", memory: "250Mi" }),
      "cpu=150m memory=250Mi requests.cpu=150m requests.memory=250Mi limits.cpu=200m limits.memory=400Mi",
    ],
    [
      "status without resources",
      "cpu=100m/200m memory=200Mi/400Mi",
      present(undefined),
      "cpu=100m memory=200Mi requests.cpu=100m requests.memory=200Mi limits.cpu=200m limits.memory=400Mi",
    ],
  ])("%s", (_, text, parts, expected) => {
    const uncharged = expected === "pods=" ? "count/pods=1" : `${expected} pods=1 count/pods=1`;
    const pod = aPod(text.replaceAll(/\s+/g, " "), parts);
    expect(formatAmounts(podEvaluator.usage(pod, start))).toEqual(canonical(uncharged));
  });
});

describe("a Pod's missing amounts", () => {
  const cpu = "cpu=1m/2m";
  const own = (text: string, names: readonly string[]) =>
    names.map((name) => ({ name, resources: resources(text) }));
  test.each<readonly [string, object, string, string | undefined]>([
    ["init container", { initContainers: own(cpu, ["a"]) }, "memory", "memory for: a"],
    ["init containers", { initContainers: own(cpu, ["b", "a"]) }, "memory", "memory for: a,b"],
    ["container", { containers: own(cpu, ["a"]) }, "memory", "memory for: a"],
    ["containers", { containers: own(cpu, ["b", "a"]) }, "memory", "memory for: a,b"],
    ["two resources", { containers: own("", ["b", "a"]) }, "memory cpu", "cpu for: a,b; memory for: a,b"],
    ["Pod-level", { ...podLevel("cpu=1m/").spec, containers: own("", ["b", "a"]) }, "memory cpu", undefined],
  ])("%s", (_, spec, required, expected) => {
    const pod = build(pods, { spec: { containers: [], ...spec } });
    const missing = podEvaluator.missing(pod, new Set(required.split(" ")));
    expect(missing).toBe(expected === undefined ? undefined : `must specify ${expected}`);
  });
});

/** The words of `all` that hold. */
const chosen = (all: string, holds: (word: string) => boolean) => all.split(" ").filter(holds).join(" ");
/** Reads `SCOPE:OPERATOR:VALUES`. */
function requirement(word: string): ScopedResourceSelectorRequirement {
  const [scopeName = "", operator = "Exists", values] = word.split(":");
  const one = { scopeName, operator, ...(values === undefined ? {} : { values: values.split(",") }) };
  // Safe: the tables name scopes and operators only.
  return one as ScopedResourceSelectorRequirement;
}

describe("a Pod's scopes", () => {
  const all =
    "Terminating NotTerminating BestEffort NotBestEffort PriorityClass:In:class1 CrossNamespacePodAffinity";
  const timed = { activeDeadlineSeconds: 30 };
  const term = (more: object) => ({ topologyKey: "zone", labelSelector: {}, ...more });
  const affine = (type: string, strength: string, more: object) => {
    const isPreferred = strength === "preferred";
    const terms = isPreferred ? [{ weight: 1, podAffinityTerm: term(more) }] : [term(more)];
    return {
      spec: {
        ...timed,
        affinity: { [type]: { [`${strength}DuringSchedulingIgnoredDuringExecution`]: terms } },
      },
    };
  };
  const crossing = "Terminating BestEffort CrossNamespacePodAffinity";
  const anywhere = { namespaceSelector: {} };
  test.each<readonly [string, string, Parts, string]>([
    ["empty", "", {}, "NotTerminating BestEffort"],
    [
      "class",
      "",
      { spec: { priorityClassName: "class1" } },
      "NotTerminating BestEffort PriorityClass:In:class1",
    ],
    ["sized", "cpu=1/2 memory=50M/100M example.com/dongle=1/1", {}, "NotTerminating NotBestEffort"],
    ["deadline", "", { spec: timed }, "Terminating BestEffort"],
    ["affinity 1", "", affine("podAffinity", "required", { namespaces: ["ns1"], ...anywhere }), crossing],
    ["affinity 2", "", affine("podAffinity", "required", { namespaces: ["ns1"] }), crossing],
    ["affinity 3", "", affine("podAffinity", "preferred", { namespaces: ["ns2"], ...anywhere }), crossing],
    ["affinity 4", "", affine("podAffinity", "preferred", anywhere), crossing],
    ["anti-affinity 1", "", affine("podAntiAffinity", "preferred", anywhere), crossing],
    ["anti-affinity 2", "", affine("podAntiAffinity", "required", { namespaces: ["ns3"] }), crossing],
  ])("%s", (_, text, parts, expected) => {
    const pod = aPod(text, parts);
    expect(chosen(all, (word) => podEvaluator.isInScope(pod, requirement(word)))).toBe(expected);
  });
});

describe("the usage that a quota counts", () => {
  const hard = { cpu: "3", memory: "100Gi", pods: "5" };
  const failed = { phase: "Failed" };
  const plain = [
    aPod("cpu=100m/ memory=1Gi/"),
    aPod("cpu=100m/ memory=1Gi/"),
    aPod("cpu=100m/ memory=1Gi/", { status: failed }),
  ];
  const bare = [aPod(""), aPod(""), aPod("", { status: failed })];
  const withClass = (name: string, text: string, phase: string) =>
    aPod(text, { spec: { priorityClassName: name }, status: { phase } });
  const classes = [
    withClass("high", "cpu=500m/ memory=50Gi/", "Running"),
    withClass("low", "cpu=100m/ memory=1Gi/", "Running"),
    withClass("", "cpu=100m/ memory=1Gi/", "Failed"),
  ];
  const none = "cpu=0 memory=0 pods=0";
  const selector = (word: string) => ({
    scopeSelector: { matchExpressions: [requirement(`PriorityClass:${word}`)] },
  });
  test.each<readonly [string, object, readonly ReturnType<typeof aPod>[], string]>([
    ["BestEffort, sized Pods", { hard, scopes: ["BestEffort"] }, plain, none],
    ["BestEffort, bare Pods", { hard, scopes: ["BestEffort"] }, bare, "cpu=0 memory=0 pods=2"],
    ["Exists, no class", { hard, ...selector("Exists") }, plain, none],
    ["Exists", { hard, ...selector("Exists") }, classes, "cpu=600m memory=51Gi pods=2"],
    ["In both", { hard, ...selector("In:high,low") }, classes, "cpu=600m memory=51Gi pods=2"],
    ["In high", { hard, ...selector("In:high") }, classes, "cpu=500m memory=50Gi pods=1"],
    ["In low", { hard, ...selector("In:low") }, classes, "cpu=100m memory=1Gi pods=1"],
    ["NotIn high", { hard, ...selector("NotIn:high") }, classes, "cpu=100m memory=1Gi pods=1"],
    ["In another", { hard, ...selector("In:random") }, classes, none],
    ["NotIn, no class", { hard, ...selector("NotIn:random") }, plain, "cpu=200m memory=2Gi pods=2"],
    ["DoesNotExist", { hard, ...selector("DoesNotExist") }, plain, "cpu=200m memory=2Gi pods=2"],
    ["no scope", { hard }, plain, "cpu=200m memory=2Gi pods=2"],
    [
      "two scopes and a selector",
      { hard: { "count/pods": "9" }, scopes: ["PriorityClass", "BestEffort"], ...selector("In:high") },
      [...classes, withClass("high", "", "Failed")],
      "count/pods=1",
    ],
  ])("%s", (_, spec, objects, expected) => {
    const quota = build(resourceQuotas, { metadata: {}, spec });
    const used = zeroUsage(quota, podEvaluator);
    addUsage(used, quota, podEvaluator, objects, start);
    expect(formatAmounts(used)).toEqual(canonical(expected));
  });
});

describe("a Service's usage", () => {
  const ports = (...nodePorts: readonly number[]) =>
    nodePorts.map((nodePort, i) => ({
      port: 27443 + i,
      name: `p${i}`,
      ...(nodePort > 0 ? { nodePort } : {}),
    }));
  test.each<readonly [string, readonly object[], boolean | undefined, string]>([
    ["LoadBalancer", [], undefined, "0 1"],
    ["LoadBalancer", ports(0), undefined, "1 1"],
    ["LoadBalancer", ports(0, 0), undefined, "2 1"],
    ["LoadBalancer", ports(0, 0), false, "0 1"],
    ["LoadBalancer", ports(32001, 32002), undefined, "2 1"],
    ["LoadBalancer", ports(0, 0), true, "2 1"],
    ["LoadBalancer", ports(32001, 32002), false, "2 1"],
    ["ClusterIP", [], undefined, "0 0"],
    ["NodePort", ports(0), undefined, "1 0"],
    ["NodePort", ports(0, 0), undefined, "2 0"],
  ])("%s %j, allocating %s", (type, some, allocateLoadBalancerNodePorts, expected) => {
    const allocate = allocateLoadBalancerNodePorts === undefined ? {} : { allocateLoadBalancerNodePorts };
    const service = build(services, { spec: { type, ports: some, ...allocate } });
    const [nodePorts, loadBalancers] = expected.split(" ");
    expect(formatAmounts(serviceEvaluator.usage(service, start))).toEqual(
      canonical(
        `count/services=1 services=1 services.nodeports=${nodePorts} services.loadbalancers=${loadBalancers}`,
      ),
    );
  });
});

describe("a claim's usage", () => {
  test.each<readonly [string, string, string | undefined, string | undefined, string]>([
    ["plain", "10Gi", undefined, undefined, "10Gi"],
    ["of a class", "10Gi", "gold", undefined, "10Gi"],
    ["rounded", "1001m", undefined, undefined, "2"],
    ["rounded, of a class", "1001m", "gold", undefined, "2"],
    ["more allocated", "5G", undefined, "10G", "10G"],
    ["less allocated", "10G", undefined, "5G", "10G"],
  ])("%s", (_, storage, storageClassName, allocated, expected) => {
    const claim = build(persistentVolumeClaims, {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, storageClassName },
      status: allocated === undefined ? {} : { allocatedResources: { storage: allocated } },
    });
    const one = (prefix: string) => `${prefix}persistentvolumeclaims=1 ${prefix}requests.storage=${expected}`;
    const byClass =
      storageClassName === undefined ? "" : one(`${storageClassName}.storageclass.storage.k8s.io/`);
    expect(formatAmounts(claimEvaluator.usage(claim, start))).toEqual(
      canonical(`count/persistentvolumeclaims=1 ${one("")} ${byClass}`.trim()),
    );
  });
});

describe("a claim's scopes", () => {
  const is = (word: string) => `VolumeAttributesClass:${word}`;
  const ins = ["1", "2", "3", "4", "1,2", "1,2,4", "1,2,3", "1,2,3,4"].map((values) => is(`In:${values}`));
  const all = [is("DoesNotExist"), is("Exists"), ...ins, is("NotIn:4")].join(" ");
  test.each<readonly [string, object, object, string]>([
    ["no class", {}, {}, "DoesNotExist NotIn:4"],
    [
      "desired",
      { volumeAttributesClassName: "1" },
      {},
      "Exists In:1 In:1,2 In:1,2,4 In:1,2,3 In:1,2,3,4 NotIn:4",
    ],
    [
      "present",
      { volumeAttributesClassName: "1" },
      { currentVolumeAttributesClassName: "2" },
      "Exists In:1 In:2 In:1,2 In:1,2,4 In:1,2,3 In:1,2,3,4 NotIn:4",
    ],
    [
      "target",
      { volumeAttributesClassName: "1" },
      {
        currentVolumeAttributesClassName: "2",
        modifyVolumeStatus: { targetVolumeAttributesClassName: "3", status: "Pending" },
      },
      "Exists In:1 In:2 In:3 In:1,2 In:1,2,4 In:1,2,3 In:1,2,3,4 NotIn:4",
    ],
  ])("%s", (_, spec, status, expected) => {
    const claim = build(persistentVolumeClaims, { spec: { resources: {}, ...spec }, status });
    const found = chosen(all, (word) => claimEvaluator.isInScope(claim, requirement(word)));
    expect(found.replaceAll("VolumeAttributesClass:", "")).toBe(expected);
  });
});

describe("a ResourceClaim's devices", () => {
  const exactly = (more: object = {}) => ({
    name: "r",
    exactly: { deviceClassName: "gpu", count: 1, ...more },
  });
  const oneOf = (...some: readonly (readonly [string, number | "All"])[]) => ({
    name: "r",
    firstAvailable: some.map(([deviceClassName, count], i) => ({
      name: `s${i}`,
      deviceClassName,
      ...(count === "All" ? { allocationMode: "All" } : { allocationMode: "ExactCount", count }),
    })),
  });
  test.each<readonly [string, readonly object[], string]>([
    ["one", [exactly()], "gpu=1"],
    ["five requests", Array.from({ length: 5 }, () => exactly()), "gpu=5"],
    ["count", [exactly({ count: 5 })], "gpu=5"],
    ["all", [exactly({ allocationMode: "All" })], "gpu=32"],
    ["unknown mode", [exactly({ allocationMode: "future", count: 0 })], "gpu=0"],
    ["admin", [exactly({ adminAccess: true })], "gpu=1"],
    ["alternatives, one", [oneOf(["gpu", 1])], "gpu=1"],
    ["alternatives, the greatest", [oneOf(["gpu", 2], ["gpu", 1])], "gpu=2"],
    ["alternatives, all", [oneOf(["gpu", 1], ["gpu", "All"])], "gpu=32"],
    ["alternatives, two classes", [oneOf(["gpu", 1], ["tpu", "All"])], "gpu=1 tpu=32"],
  ])("%s", (_, requests, expected) => {
    const claim = build(resourceClaims, { spec: { devices: { requests } } });
    const byClass = expected.replaceAll("=", ".deviceclass.resource.k8s.io/devices=");
    expect(formatAmounts(deviceEvaluator.usage(claim, start))).toEqual(
      canonical(`count/resourceclaims.resource.k8s.io=1 ${byClass}`),
    );
  });
});

type Uses = Pick<Evaluator, "uses">;
const devices = "deviceclass.resource.k8s.io";
test.each<readonly [string, Uses, string, string]>([
  ["Services", serviceEvaluator, "services services.nodeports services.loadbalancers", "configmaps cpu"],
  [
    "claims",
    claimEvaluator,
    "count/persistentvolumeclaims requests.storage persistentvolumeclaims gold.storageclass.storage.k8s.io/requests.storage gold.storageclass.storage.k8s.io/persistentvolumeclaims",
    "storage ephemeral-storage bronze.storageclass.storage.k8s.io/storage gold.storage.k8s.io/requests.storage",
  ],
  [
    "ResourceClaims",
    deviceEvaluator,
    `count/resourceclaims.resource.k8s.io gpu.${devices}/devices`,
    `resourceclaims storage ephemeral-storage bronze.${devices}/storage gpu.storage.k8s.io/requests.storage`,
  ],
])("%s use their own resources of a quota", (_, evaluator, used, others) => {
  expect(chosen(`${used} ${others}`, (name) => evaluator.uses(name))).toBe(used);
});

describe("a write that admission charges", () => {
  const timed = (seconds: number) => aPod("", { spec: { activeDeadlineSeconds: seconds } });
  const row = <K extends Kind>(
    title: string,
    evaluator: Evaluator<ObjectOf<K>>,
    object: ObjectOf<K>,
    old: ObjectOf<K> | undefined,
    subresource: string,
    expected: boolean,
  ) => [title, () => evaluator.charges({ object, old, subresource }), expected] as const;
  const pod = aPod("");
  const service = build(services, { spec: {} });
  const claim = build(persistentVolumeClaims, { spec: { resources: {} } });
  test.each([
    row("Pod, create", podEvaluator, pod, undefined, "", true),
    row("Pod, deadline removed", podEvaluator, pod, timed(1), "", true),
    row("Pod, deadline set", podEvaluator, timed(1), pod, "", true),
    row("Pod, deadline changed", podEvaluator, timed(1), timed(2), "", false),
    row("Pod, update", podEvaluator, pod, pod, "", false),
    row("Pod, create of a subresource", podEvaluator, pod, undefined, "subresource", false),
    row("Pod, update of a subresource", podEvaluator, pod, pod, "subresource", false),
    row("Pod, resize", podEvaluator, pod, pod, "resize", true),
    row("Service, create", serviceEvaluator, service, undefined, "", true),
    row("Service, update", serviceEvaluator, service, service, "", true),
    row("Service, create of a subresource", serviceEvaluator, service, undefined, "subresource", false),
    row("Service, update of a subresource", serviceEvaluator, service, service, "subresource", false),
    row("claim, create", claimEvaluator, claim, undefined, "", true),
    row("claim, update", claimEvaluator, claim, claim, "", true),
    row("claim, create of a subresource", claimEvaluator, claim, undefined, "subresource", false),
    row("claim, update of a subresource", claimEvaluator, claim, claim, "subresource", false),
  ])("%s", (_, charges, expected) => {
    expect(charges()).toBe(expected);
  });
});
