import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../../api/core/pod/schema.ts";
import { formatAmounts } from "../../../api/core/resource-quota/amounts.ts";
import { evaluatorOf } from "../../../api/core/resource-quota/evaluators.ts";
import type { ResourceQuota } from "../../../api/core/resource-quota/schema.ts";
import { services } from "../../../api/core/service/schema.ts";
import { decode } from "../../../meta/decode.ts";
import type { Kind, KubeObject } from "../../../meta/kind.ts";
import { Ledger } from "./ledger.ts";

// Upstream's cases by value: `plugin/pkg/admission/resourcequota/admission_test.go`.

type Amounts = Readonly<Record<string, string>>;
interface Limit {
  readonly hard: Amounts;
  readonly used: Amounts;
}

const aQuota = (name: string, { hard, used }: Limit, spec: object = {}): ResourceQuota => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name, namespace: "default" },
  spec: { hard, ...spec },
  status: { hard, used },
});
function object({ apiVersion, kind, schema }: Kind, spec: object, status: object = {}): KubeObject {
  const fields = decode(schema, { metadata: { name: "x", namespace: "default" }, spec, status });
  return { apiVersion, kind, ...fields } as KubeObject;
}
const aPod = (requests: Amounts, spec: object = {}, limits: Amounts = {}) =>
  object(pods, { containers: [{ name: "c", image: "c", resources: { requests, limits } }], ...spec });
const aService = (type: string, ports: readonly number[] = []) =>
  object(services, { type, ports: ports.map((port) => ({ port })) });
const aClaim = (storage: string, volumeAttributesClassName?: string, status: object = {}) =>
  object(
    persistentVolumeClaims,
    { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, volumeAttributesClassName },
    status,
  );

interface Write {
  readonly kind: Kind;
  readonly quotas: readonly ResourceQuota[];
  readonly object: KubeObject;
  readonly old?: KubeObject;
  readonly subresource?: string;
}

/** Charges a write. Returns the refusal, or the usage afterwards of the quotas that it changed. */
async function charge({ kind, quotas, object, old, subresource = "" }: Write): Promise<unknown> {
  const evaluator = evaluatorOf(kind);
  if (evaluator === undefined) throw new Error(`no quota counts ${kind.plural}`);
  const write = { object, old, subresource };
  if (!evaluator.charges(write)) return {};
  const ledger = await Ledger.open(quotas, new Set([evaluator]));
  const charged = ledger.charge({ ...write, evaluator }, 0);
  if (typeof charged === "string") return charged;
  ledger.reserve(charged);
  return Object.fromEntries(ledger.changed().map(({ name, used }) => [name, formatAmounts(used)]));
}

const small = { cpu: "100m", memory: "2Gi" };
const compute: Limit = {
  hard: { cpu: "3", memory: "100Gi", pods: "5" },
  used: { cpu: "1", memory: "50Gi", pods: "3" },
};
const grown = { cpu: "1100m", memory: "52Gi", pods: "4" };
const exposure: Limit = {
  hard: { services: "10", "services.loadbalancers": "10", "services.nodeports": "10" },
  used: { services: "1", "services.loadbalancers": "1", "services.nodeports": "0" },
};
const storage: Limit = {
  hard: { persistentvolumeclaims: "3", "requests.storage": "100Gi" },
  used: { persistentvolumeclaims: "1", "requests.storage": "10Gi" },
};
const withLimits: Limit = {
  hard: { ...compute.hard, "limits.memory": "200Gi" },
  used: { ...compute.used, "limits.memory": "100Gi" },
};
const byDeadline = ["Terminating", "NotTerminating"].map((scope) =>
  aQuota(scope, compute, { scopes: [scope] }),
);
const byQuality = ["BestEffort", "NotBestEffort"].map((scope) => aQuota(scope, compute, { scopes: [scope] }));
const byClass = ["gold", "silver", "copper"].map((name) =>
  aQuota(name, storage, {
    scopeSelector: {
      matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values: [name] }],
    },
  }),
);
const one = (limit: Limit) => [aQuota("q", limit)];
const timed = { activeDeadlineSeconds: 30 };
const oneMore = { persistentvolumeclaims: "2", "requests.storage": "11Gi" };
const present = (name: string, more: object = {}) => ({ currentVolumeAttributesClassName: name, ...more });
const target = (name: string) => ({
  modifyVolumeStatus: { targetVolumeAttributesClassName: name, status: "Pending" },
});
const podsOnly: Limit = { hard: { pods: "5" }, used: { pods: "3" } };
const unrelated: Limit = { hard: { services: "3", pods: "4" }, used: { services: "4", pods: "1" } };

describe("the charge of a write", () => {
  test.each<readonly [string, Write, unknown]>([
    ["below the limit", { kind: pods, quotas: one(compute), object: aPod(small) }, { q: grown }],
    [
      "above the limit",
      { kind: pods, quotas: one(compute), object: aPod({ cpu: "3", memory: "2Gi" }) },
      "exceeded quota: q, requested: cpu=3, used: cpu=1, limited: cpu=3",
    ],
    [
      "without an amount that the quota limits",
      { kind: pods, quotas: one(withLimits), object: aPod(small, {}, { cpu: "200m" }) },
      "failed quota: q: must specify limits.memory for: c",
    ],
    [
      "beside a limit that was exceeded before",
      { kind: pods, quotas: one(unrelated), object: aPod({}) },
      { q: { pods: "2", services: "4" } },
    ],
    [
      "with a deadline",
      { kind: pods, quotas: byDeadline, object: aPod(small, timed) },
      { Terminating: grown },
    ],
    [
      "without a deadline",
      { kind: pods, quotas: byDeadline, object: aPod(small) },
      { NotTerminating: grown },
    ],
    [
      "that sets a deadline",
      { kind: pods, quotas: byDeadline, object: aPod(small, timed), old: aPod(small) },
      { Terminating: grown },
    ],
    [
      "of a best-effort Pod",
      { kind: pods, quotas: byQuality.map((quota) => ({ ...quota, status: podsOnly })), object: aPod({}) },
      { BestEffort: { pods: "4" } },
    ],
    [
      "of a burstable Pod",
      { kind: pods, quotas: byQuality.slice(0, 1), object: aPod(small, {}, { cpu: "200m", memory: "4Gi" }) },
      {},
    ],
    [
      "from a load balancer to a node port",
      {
        kind: services,
        quotas: one(exposure),
        object: aService("NodePort", [1234]),
        old: aService("LoadBalancer"),
      },
      { q: { services: "1", "services.loadbalancers": "1", "services.nodeports": "1" } },
    ],
    [
      "of a new node port",
      { kind: services, quotas: one(exposure), object: aService("NodePort", [1234]) },
      { q: { services: "2", "services.loadbalancers": "1", "services.nodeports": "1" } },
    ],
    [
      "that lowers a claim",
      { kind: persistentVolumeClaims, quotas: one(storage), object: aClaim("5Gi"), old: aClaim("10Gi") },
      {},
    ],
    [
      "that raises a claim",
      { kind: persistentVolumeClaims, quotas: one(storage), object: aClaim("15Gi"), old: aClaim("10Gi") },
      { q: { persistentvolumeclaims: "1", "requests.storage": "15Gi" } },
    ],
  ])("%s", async (_, write, expected) => {
    expect(await charge(write)).toEqual(expected);
  });
});

describe("the charge of a claim by VolumeAttributesClass", () => {
  const gold = present("gold");
  const status = { subresource: "status" };
  test.each<readonly [string, Omit<Write, "kind" | "quotas">, unknown]>([
    ["create", { object: aClaim("1Gi", "gold") }, { gold: oneMore }],
    ["no class to gold", { object: aClaim("1Gi", "gold"), old: aClaim("1Gi") }, { gold: oneMore }],
    [
      "gold as target",
      { object: aClaim("1Gi", "gold", target("gold")), old: aClaim("1Gi", "gold"), ...status },
      {},
    ],
    [
      "gold is reached",
      { object: aClaim("1Gi", "gold", gold), old: aClaim("1Gi", "gold", target("gold")), ...status },
      {},
    ],
    [
      "gold to silver",
      { object: aClaim("1Gi", "silver", gold), old: aClaim("1Gi", "gold", gold) },
      { silver: oneMore },
    ],
    [
      "silver as target",
      {
        object: aClaim("1Gi", "silver", present("gold", target("silver"))),
        old: aClaim("1Gi", "silver", gold),
        ...status,
      },
      {},
    ],
    [
      "silver to copper",
      {
        object: aClaim("1Gi", "copper", present("gold", target("silver"))),
        old: aClaim("1Gi", "silver", present("gold", target("silver"))),
      },
      { copper: oneMore },
    ],
  ])("%s", async (_, write, expected) => {
    expect(await charge({ kind: persistentVolumeClaims, quotas: byClass, ...write })).toEqual(expected);
  });

  test("accepts a status beyond the limit", async () => {
    const hard = { persistentvolumeclaims: "1", "requests.storage": "10Gi" };
    const full = byClass.map((quota) => ({ ...quota, status: { hard, used: hard } }));
    const object = aClaim("1Gi", "gold", present("silver", target("gold")));
    const old = aClaim("1Gi", "gold", gold);
    expect(await charge({ kind: persistentVolumeClaims, quotas: full, object, old, ...status })).toEqual({
      silver: oneMore,
    });
  });
});
