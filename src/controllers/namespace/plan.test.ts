import { expect, test } from "vitest";
import { namespaces } from "../../api/core/namespace/schema.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { aPod, build } from "../builders.suite.ts";
import {
  type Attempt,
  conditionsAfter,
  deletionOrder,
  errorsOf,
  graceSeconds,
  judge,
  retryMs,
} from "./plan.ts";

const resource = (plural: string, more: Partial<DiscoveredResource> = {}): DiscoveredResource => ({
  group: "",
  version: "v1",
  plural,
  namespaced: true,
  kind: plural,
  singular: plural,
  verbs: ["delete", "list"],
  shortNames: [],
  categories: [],
  subresources: [],
  ...more,
});

test("Pods are deleted first; resources that are cluster-scoped or cannot be deleted are skipped", () => {
  const all = [
    resource("secrets"),
    resource("pods"),
    resource("nodes", { namespaced: false }),
    resource("bindings", { verbs: ["create"] }),
    resource("pods", { group: "metrics.k8s.io" }),
  ];
  expect(deletionOrder(all).map((stage) => stage.map(({ group, plural }) => `${group}/${plural}`))).toEqual([
    ["/pods"],
    ["/secrets", "metrics.k8s.io/pods"],
  ]);
});

test("Pods get their longest grace period, once", () => {
  const graced = (terminationGracePeriodSeconds: number, phase = "Running") =>
    aPod("p", { spec: { terminationGracePeriodSeconds }, status: { phase } });
  const all = [graced(30), graced(60), graced(300, "Succeeded")];
  expect([graceSeconds(all, 0, 59_000), graceSeconds(all, 0, 60_000)]).toEqual([60, 0]);
});

const left = (...finalizers: readonly string[]) => ({ metadata: { finalizers } });
const configs = resource("configmaps");

test("objects that remain without a grace period or finalizer are an error; with one they are waited for", () => {
  expect(judge(configs, [], 30, "x")).toMatchObject({ count: 0, estimateSeconds: 0 });
  expect(judge(configs, [left()], 30, "x")).toMatchObject({ count: 1, estimateSeconds: 30 });
  expect(judge(configs, [left("a"), left("a", "b")], 0, "x")).toMatchObject({
    count: 2,
    estimateSeconds: 15,
    finalizers: new Map([
      ["a", 2],
      ["b", 1],
    ]),
  });
  expect(judge(configs, [left()], 0, "x").error).toBe(
    "unexpected items still remain in namespace: x for gvr: /v1, Resource=configmaps",
  );
});

test("the next attempt comes after half of the estimated time", () => {
  const attempt = (grace: number): Attempt => ({
    undiscovered: [],
    remains: [judge(configs, [left("a")], grace, "x")],
  });
  expect([retryMs(attempt(30)), retryMs(attempt(0))]).toEqual([16_000, 8_000]);
  expect(retryMs({ undiscovered: [], remains: [judge(configs, [], 0, "x")] })).toBeUndefined();
});

test("conditions say what is wrong, keep their times, and are the same list when nothing changed", () => {
  const namespace = build(namespaces, { metadata: { name: "x" } });
  const bad: Attempt = { undiscovered: ["example.com/v1"], remains: [judge(configs, [left()], 0, "x")] };
  const first = conditionsAfter(bad, namespace, 0);
  expect(first.map(({ type, status }) => [type, status])).toEqual([
    ["NamespaceDeletionDiscoveryFailure", "True"],
    ["NamespaceDeletionGroupVersionParsingFailure", "False"],
    ["NamespaceDeletionContentFailure", "True"],
    ["NamespaceContentRemaining", "True"],
    ["NamespaceFinalizersRemaining", "False"],
  ]);
  expect(errorsOf(bad).length).toBe(2);
  const after = { ...namespace, status: { ...namespace.status, conditions: first } };
  expect(conditionsAfter(bad, after, 5000)).toBe(first);
  const good = conditionsAfter({ undiscovered: [], remains: [] }, after, 5000);
  expect(good.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "False"));
  expect(good.map(({ lastTransitionTime = "" }) => Date.parse(lastTransitionTime))).toEqual([
    5000, 0, 5000, 5000, 0,
  ]);
});

test("conditions name what remains, the counts and the finalizers", () => {
  const namespace = build(namespaces, { metadata: { name: "x" } });
  const attempt: Attempt = {
    undiscovered: ["a.example.com/v1", "b.example.com/v1"],
    remains: [
      judge(resource("secrets"), [left(), left()], 0, "x"),
      judge(resource("widgets", { group: "example.com" }), [left("f"), left("f", "e")], 0, "x"),
      judge(configs, [], 0, "x"),
    ],
  };
  const failed = "unexpected items still remain in namespace: x for gvr: /v1, Resource=secrets";
  expect(conditionsAfter(attempt, namespace, 0).map(({ reason, message }) => [reason, message])).toEqual([
    [
      "DiscoveryFailed",
      "Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a.example.com/v1, b.example.com/v1",
    ],
    ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
    ["ContentDeletionFailed", `Failed to delete all resource types, 1 remaining: ${failed}`],
    [
      "SomeResourcesRemain",
      "Some resources are remaining: secrets. has 2 resource instances, widgets.example.com has 2 resource instances",
    ],
    [
      "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: e in 1 resource instances, f in 2 resource instances",
    ],
  ]);
  expect(errorsOf(attempt)).toEqual([
    "unable to discover a.example.com/v1",
    "unable to discover b.example.com/v1",
    failed,
  ]);
});

test("conditions without trouble have their own reasons, beside the conditions of others", () => {
  const other = { type: "Other", status: "True" };
  const namespace = build(namespaces, { metadata: { name: "x" }, status: { conditions: [other] } });
  const good = conditionsAfter({ undiscovered: [], remains: [judge(configs, [], 0, "x")] }, namespace, 0);
  expect(good[0]).toEqual(other);
  expect(good.slice(1).map(({ reason }) => reason)).toEqual([
    "ResourcesDiscovered",
    "ParsedGroupVersions",
    "ContentDeleted",
    "ContentRemoved",
    "ContentHasNoFinalizers",
  ]);
});

// Upstream's TestUpdateConditions.
const [discovery, parsing, content, remaining, finalizers] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
] as const;
const rest = [content, remaining, finalizers].map((type) => `${type} False`);
test.each<[before: readonly string[], undiscovered: readonly string[], after: readonly string[]]>([
  [["unknown True"], [], ["unknown True", `${discovery} False`, `${parsing} False`, ...rest]],
  [[`${discovery} True`], [], [`${discovery} False`, `${parsing} False`, ...rest]],
  [[`${parsing} True`, `${discovery} True`], [], [`${parsing} False`, `${discovery} False`, ...rest]],
  [[`${parsing} True`, `${discovery} False`], ["a/v1"], [`${parsing} False`, `${discovery} True`, ...rest]],
  [[`${parsing} True`], ["a/v1"], [`${parsing} False`, `${discovery} True`, ...rest]],
])("conditions keep their order: after %j, with failures %j", (before, undiscovered, after) => {
  const conditions = before.map((text) => ({ type: text.split(" ")[0], status: text.split(" ")[1] }));
  const namespace = build(namespaces, { metadata: { name: "x" }, status: { conditions } });
  const found = conditionsAfter({ undiscovered, remains: [] }, namespace, 0);
  expect(found.map(({ type, status }) => `${type} ${status}`)).toEqual(after);
});

test("a condition is written when only its reason or its message changes", () => {
  const bad: Attempt = { undiscovered: ["a/v1"], remains: [] };
  const first = conditionsAfter(bad, build(namespaces, { metadata: { name: "x" } }), 0);
  const namespaceWith = (change: object) =>
    build(namespaces, {
      metadata: { name: "x" },
      status: { conditions: [{ ...first[0], ...change }, ...first.slice(1)] },
    });
  for (const change of [{ reason: "R" }, { message: "m" }])
    expect(conditionsAfter(bad, namespaceWith(change), 5000)).toEqual(first);
});

test("the next try waits for the slowest of what remains", () => {
  const slow = judge(configs, [left()], 30, "x");
  const fast = judge(resource("secrets"), [left("a")], 0, "x");
  expect(retryMs({ undiscovered: [], remains: [slow, fast, judge(configs, [], 0, "x")] })).toBe(16_000);
});

test("a namespace that was deleted long ago gives Pods no more grace", () => {
  const pod = aPod("p", { spec: { terminationGracePeriodSeconds: 30 } });
  expect(graceSeconds([pod], 100_000, 129_999)).toBe(30);
  expect(graceSeconds([pod], 100_000, 130_000)).toBe(0);
  expect(graceSeconds([], 100_000, 100_000)).toBe(0);
});
