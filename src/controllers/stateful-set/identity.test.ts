import { expect, test } from "vitest";
import { type StatefulSet, statefulSets } from "../../api/apps/stateful-set/schema.ts";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { aPod, build, template } from "../builders.suite.ts";
import { planClaimOwners } from "./claim-owners.ts";
import { claimsFor, isConsistent, ordinalOf, podFor, revisionOf, withIdentity } from "./identity.ts";

const claimTemplates = [
  {
    metadata: { name: "data", labels: { tier: "db" }, annotations: { note: "x" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  { metadata: { name: "logs" }, spec: { accessModes: ["ReadWriteOnce"] } },
];

function aSet(spec: object = {}): StatefulSet {
  return build(statefulSets, {
    metadata: { name: "web", namespace: "default", uid: "uid-web" },
    spec: {
      serviceName: "headless",
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template,
      volumeClaimTemplates: claimTemplates,
      ...spec,
    },
  });
}

const labels = (ordinal: number) => ({
  "statefulset.kubernetes.io/pod-name": `web-${ordinal}`,
  "apps.kubernetes.io/pod-index": `${ordinal}`,
});

/** After upstream's `TestGetParentNameAndOrdinal` and `TestIsMemberOf`. */
test.each([
  ["web-0", 0],
  ["web-12", 12],
  ["web", -1],
  ["web-", -1],
  ["web-1a", -1],
  ["other-1", -1],
  ["web-2-1", -1],
  ["x\nweb-1", -1],
])("the ordinal of the Pod %j is %i", (name, ordinal) => {
  expect(ordinalOf(aPod(name), aSet())).toBe(ordinal);
});

test("a Pod has the name of its ordinal, the Service's domain, its revision and its claims", () => {
  const volumes = [
    { name: "data", emptyDir: {} },
    { name: "cache", emptyDir: {} },
  ];
  const own = build(statefulSets, {
    metadata: { name: "web" },
    spec: {
      selector: {},
      template: {
        metadata: { labels: { app: "web" }, annotations: { note: "y" } },
        spec: { ...template.spec, volumes },
      },
    },
  }).spec.template;
  const { metadata, spec } = podFor(aSet(), own, "web-abc", 3);
  expect(metadata).toMatchObject({
    name: "web-3",
    namespace: "default",
    annotations: { note: "y" },
    labels: { app: "web", ...labels(3), "controller-revision-hash": "web-abc" },
    ownerReferences: [{ kind: "StatefulSet", name: "web", uid: "uid-web", controller: true }],
  });
  expect(spec).toMatchObject({ hostname: "web-3", subdomain: "headless" });
  expect(spec?.volumes).toMatchObject([
    { name: "data", persistentVolumeClaim: { claimName: "data-web-3", readOnly: false } },
    { name: "logs", persistentVolumeClaim: { claimName: "logs-web-3", readOnly: false } },
    { name: "cache", emptyDir: {} },
  ]);
});

test("a Pod without volumes and claims has no volumes", () => {
  const set = aSet({ volumeClaimTemplates: undefined });
  expect(podFor(set, set.spec.template, "r", 0).spec?.volumes).toEqual([]);
  expect(claimsFor(set, 0)).toEqual([]);
});

test("the claims of an ordinal have the selector's labels beside their own", () => {
  expect(claimsFor(aSet(), 1)).toMatchObject([
    {
      metadata: {
        name: "data-web-1",
        namespace: "default",
        labels: { app: "web", tier: "db" },
        annotations: { note: "x" },
      },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    { metadata: { name: "logs-web-1", labels: { app: "web" } } },
  ]);
});

const claimed = (data: string, logs = "logs-web-1") => [
  { name: "data", persistentVolumeClaim: { claimName: data } },
  { name: "logs", persistentVolumeClaim: { claimName: logs } },
  { name: "cache", emptyDir: {} },
];

/** After upstream's `TestIdentityMatches` and `TestStorageMatches`. */
test.each<[string, Readonly<Record<string, string>>, readonly object[], boolean]>([
  ["all labels and claims", labels(1), claimed("data-web-1"), true],
  ["the labels of another ordinal", labels(2), claimed("data-web-1"), false],
  ["one of the labels alone", { "apps.kubernetes.io/pod-index": "1" }, claimed("data-web-1"), false],
  ["no labels", {}, claimed("data-web-1"), false],
  ["the claim of another ordinal", labels(1), claimed("data-web-2"), false],
  ["one claim of another ordinal", labels(1), claimed("data-web-1", "logs-web-2"), false],
  ["no volumes", labels(1), [], false],
])("a Pod with %s is as its ordinal demands: %s", (_, own, volumes, expected) => {
  const pod = aPod("web-1", { metadata: { labels: own }, spec: { volumes } });
  expect(isConsistent(pod, aSet())).toBe(expected);
});

test("a Pod is given the labels of its ordinal beside its own", () => {
  const pod = aPod("web-1", { metadata: { labels: { mine: "x", ...labels(7) } } });
  expect(withIdentity(pod, aSet()).metadata.labels).toEqual({ mine: "x", ...labels(1) });
  expect(revisionOf(pod)).toBeUndefined();
  expect(revisionOf(aPod("p", { metadata: { labels: undefined } }))).toBeUndefined();
});

const setOwner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "uid-web" };
const podOwner = (ordinal: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  name: `web-${ordinal}`,
  uid: `uid-web-${ordinal}`,
});
const controlling = (owner: object) => ({ ...owner, controller: true, blockOwnerDeletion: true });
const foreign = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other" };

/**
 * After upstream's `TestClaimOwnerMatchesSetAndPod` and `TestUpdateClaimOwnerRefForSetAndPod`: the policy as
 * `whenScaled/whenDeleted`, the ordinal of the claim, the owners before and after; undefined where nothing changes.
 */
test.each<[string, number, readonly object[], readonly object[] | undefined]>([
  ["Retain/Retain", 0, [], undefined],
  ["Retain/Retain", 2, [], undefined],
  ["Retain/Retain", 0, [controlling(setOwner)], []],
  ["Retain/Retain", 2, [controlling(podOwner(2))], []],
  ["Retain/Delete", 0, [], [controlling(setOwner)]],
  ["Retain/Delete", 2, [], [controlling(setOwner)]],
  ["Retain/Delete", 0, [controlling(setOwner)], undefined],
  ["Retain/Delete", 2, [controlling(podOwner(2))], [controlling(setOwner)]],
  ["Delete/Retain", 0, [], undefined],
  ["Delete/Retain", 1, [controlling(podOwner(1))], []],
  ["Delete/Retain", 2, [], [controlling(podOwner(2))]],
  ["Delete/Delete", 1, [], [controlling(setOwner)]],
  ["Delete/Delete", 2, [controlling(setOwner)], [controlling(podOwner(2))]],
  ["Delete/Delete", 2, [controlling(podOwner(2))], undefined],
  ["Delete/Delete", 0, [foreign], [foreign, controlling(setOwner)]],
  ["Delete/Delete", 0, [controlling(foreign)], undefined],
  ["none", 0, [], undefined],
])(
  "with the policy %s, the claim of ordinal %i owned by %j is then owned by %j",
  (policy, ordinal, before, after) => {
    const [whenScaled, whenDeleted] = policy.split("/");
    const retention = whenDeleted === undefined ? undefined : { whenScaled, whenDeleted };
    const claim = build(persistentVolumeClaims, {
      metadata: { name: `data-web-${ordinal}`, ownerReferences: before },
      spec: {},
    });
    const changed = planClaimOwners(aSet({ persistentVolumeClaimRetentionPolicy: retention }), [
      { claim, pod: aPod(`web-${ordinal}`) },
    ]);
    expect(changed.map(({ metadata }) => metadata.ownerReferences)).toEqual(
      after === undefined ? [] : [after],
    );
  },
);

test("a claim below the first ordinal belongs to its Pod", () => {
  const policy = { whenScaled: "Delete", whenDeleted: "Retain" };
  const set = aSet({ ordinals: { start: 1 }, persistentVolumeClaimRetentionPolicy: policy });
  const owned = (ordinal: number) => {
    const claim = build(persistentVolumeClaims, { metadata: { name: "c" }, spec: {} });
    return planClaimOwners(set, [{ claim, pod: aPod(`web-${ordinal}`) }]).length;
  };
  expect([0, 1, 2, 3].map(owned)).toEqual([1, 0, 0, 1]);
});
