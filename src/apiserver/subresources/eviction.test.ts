import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Bed, inDefault, type Json, podBody, startBed } from "../server.suite.ts";

const pods = inDefault("pods");
const budgets = inDefault("poddisruptionbudgets", "policy/v1");
const app = { labels: { app: "web" } };
const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const unready = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };
/** The status of a budget that allows one more disruption. */
const granting = {
  observedGeneration: 1,
  disruptionsAllowed: 1,
  currentHealthy: 2,
  desiredHealthy: 1,
  expectedPods: 2,
};

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

async function makePod(name: string, status: object = ready): Promise<Json> {
  await bed.make(pods, podBody(name, { metadata: app, spec: { nodeName: "n" } }));
  return (await bed.patch(`${pods}/${name}/status`, { status })).body;
}

async function makeBudget(status: object, spec: object = {}, name = "web"): Promise<void> {
  await bed.make(budgets, {
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: app.labels }, ...spec },
  });
  expect((await bed.patch(`${budgets}/${name}/status`, { status })).status).toBe(200);
}

const eviction = (name: string, more: object = {}) => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name, namespace: "default" },
  ...more,
});
const evict = (name: string, more: object = {}, query = "") =>
  bed.post(`${pods}/${name}/eviction${query}`, eviction(name, more));
const statusOf = async () => (await bed.get(`${budgets}/web`)).body.status;
const success = { kind: "Status", status: "Success", code: 201 };

test("a Pod without a budget gets a DisruptionTarget condition, and terminates within its grace period", async () => {
  await makePod("a");
  expect(await evict("a")).toMatchObject({ status: 201, body: success });
  const { body: pod } = await bed.get(`${pods}/a`);
  expect(pod.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
  expect(pod.status.conditions).toContainEqual({
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  expect(pod.metadata.managedFields.map((one: Json) => one.manager)).not.toContain("");
  await evict("a", { deleteOptions: { gracePeriodSeconds: 0 } });
  expect((await bed.get(`${pods}/a`)).status).toBe(404);
});

test("a budget grants each disruption once, and records it for its controller", async () => {
  await makePod("a");
  await makePod("b");
  await makeBudget(granting);
  expect((await evict("a")).status).toBe(201);
  expect(await statusOf()).toEqual({
    ...granting,
    disruptionsAllowed: 0,
    disruptedPods: { a: "2026-01-01T00:00:00Z" },
    conditions: [
      {
        type: "DisruptionAllowed",
        status: "False",
        reason: "InsufficientPods",
        message: "",
        observedGeneration: 1,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  });
  expect(await evict("b")).toMatchObject({ status: 429, body: { reason: "TooManyRequests" } });
  expect((await bed.get(`${pods}/b`)).body.metadata).not.toHaveProperty("deletionTimestamp");
});

test("of many concurrent evictions only the granted number succeed", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
  for (const name of names) await makePod(name);
  await makeBudget({ ...granting, disruptionsAllowed: 3, currentHealthy: 8, desiredHealthy: 5 });
  const answers = await Promise.all(names.map((name) => evict(name)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
  const { disruptionsAllowed, disruptedPods } = await statusOf();
  expect(disruptionsAllowed).toBe(0);
  expect(Object.keys(disruptedPods)).toHaveLength(3);
});

const condition = (reason: string, message: string) => ({
  conditions: [
    {
      type: "DisruptionAllowed",
      status: "False",
      reason,
      message,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ],
});
const none = { ...granting, disruptionsAllowed: 0 };

test.each<readonly [what: string, status: object, why: string, retryAfter: string | undefined]>([
  [
    "no disruption is left",
    { ...none, currentHealthy: 1 },
    "needs 1 healthy pods and has 1 currently",
    undefined,
  ],
  [
    "it allows none though enough Pods are healthy",
    none,
    "does not allow evicting pods currently",
    undefined,
  ],
  [
    "its condition has a reason",
    { ...none, ...condition("Other", "maintenance") },
    "does not allow evicting pods currently (Other): maintenance",
    undefined,
  ],
  [
    "it could not be worked out",
    { ...none, currentHealthy: 0, ...condition("SyncFailed", "no scale") },
    "does not allow evicting pods currently because it failed sync: no scale",
    undefined,
  ],
  [
    "it changed since it was worked out",
    { ...granting, observedGeneration: 0 },
    "is still being processed by the server.",
    "10",
  ],
])("an eviction is refused when %s", async (_, status, why, retryAfter) => {
  await makePod("a");
  await makeBudget(status);
  const { status: code, body, headers } = await evict("a");
  expect(code).toBe(429);
  expect(body.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
  expect(body.details.causes).toEqual([
    { reason: "DisruptionBudget", message: `The disruption budget web ${why}` },
  ]);
  expect(headers["retry-after"]).toBe(retryAfter);
});

test("a budget with too many unprocessed evictions grants no more", async () => {
  await makePod("a");
  const entries = Array.from({ length: 2001 }, (_, index) => [`p${index}`, "2026-01-01T00:00:00Z"]);
  await makeBudget({ ...granting, disruptedPods: Object.fromEntries(entries) });
  expect((await evict("a")).body).toMatchObject({
    code: 403,
    message:
      'poddisruptionbudget.policy "web" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
  });
});

test("a Pod with two budgets cannot be evicted", async () => {
  await makePod("a");
  await makeBudget(granting);
  await makeBudget(granting, {}, "other");
  const { status, body } = await evict("a");
  expect(status).toBe(500);
  expect(body.message).toBe(
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
  );
});

test.each<readonly [what: string, status: object, spec: object, code: number]>([
  ["when enough others are healthy", { ...none, currentHealthy: 1 }, {}, 201],
  ["not when too few are", { ...none, currentHealthy: 0 }, {}, 429],
  ["not when none need be", { ...none, desiredHealthy: 0 }, {}, 429],
  ["always with AlwaysAllow", none, { unhealthyPodEvictionPolicy: "AlwaysAllow" }, 201],
  [
    "not always with IfHealthyBudget",
    { ...none, currentHealthy: 0 },
    { unhealthyPodEvictionPolicy: "IfHealthyBudget" },
    429,
  ],
])("an unready Pod may be evicted %s, without changing the budget", async (_, status, spec, code) => {
  await makePod("a", unready);
  await makeBudget(status, spec);
  expect((await evict("a")).status).toBe(code);
  expect(await statusOf()).toEqual({ ...status });
});

test.each<readonly [what: string, status: object, finalizers: readonly string[]]>([
  ["is pending", { phase: "Pending" }, []],
  ["has succeeded", { phase: "Succeeded" }, []],
  ["has failed", { phase: "Failed" }, []],
  ["is terminating", ready, ["example.com/wait"]],
])("a Pod that %s needs no grant", async (_, status, finalizers) => {
  await makePod("a", status);
  await makeBudget(none);
  if (finalizers.length > 0) {
    await bed.patch(`${pods}/a`, { metadata: { finalizers } });
    await bed.delete(`${pods}/a`);
  }
  expect((await evict("a")).status).toBe(201);
  expect(await statusOf()).toEqual(none);
});

describe("a Pod that changes while it is evicted", () => {
  /** Makes another client's write come just before the next one. */
  const changeFirst = () => {
    const commit = bed.store.commit.bind(bed.store);
    vi.spyOn(bed.store, "commit").mockImplementationOnce(async (...write) => {
      await bed.patch(`${pods}/a/status`, { status: { message: "changed" } });
      return commit(...write);
    });
  };

  test("is retried if it was pending", async () => {
    await makePod("a", { phase: "Pending" });
    changeFirst();
    const answer = evict("a");
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    await bed.clock.settle();
    expect(isAnswered).toBe(false);
    await bed.clock.advance(600);
    expect((await answer).status).toBe(201);
    expect((await bed.get(`${pods}/a`)).body.status.message).toBe("changed");
  });

  test("must be retried by the client if it was unready", async () => {
    await makePod("a", unready);
    await makeBudget({ ...none, currentHealthy: 1 });
    changeFirst();
    const { status, headers } = await evict("a");
    expect([status, headers["retry-after"]]).toEqual([429, "10"]);
  });
});

test("a dry run checks the budget and changes nothing", async () => {
  await makePod("a");
  await makeBudget(granting);
  const before = bed.revision;
  expect((await evict("a", {}, "?dryRun=All")).status).toBe(201);
  expect((await evict("a", { deleteOptions: { dryRun: ["All"] } })).status).toBe(201);
  expect(bed.revision).toBe(before);
  await bed.patch(`${budgets}/web/status`, { status: none });
  expect((await evict("a", {}, "?dryRun=All")).status).toBe(429);
});

describe("an eviction is checked:", () => {
  beforeEach(() => makePod("a"));

  test("its name and namespace are those of the path, its Pod exists", async () => {
    expect((await bed.post(`${pods}/a/eviction`, eviction("b"))).body.message).toBe(
      "name in URL does not match name in Eviction object",
    );
    const elsewhere = { ...eviction("a"), metadata: { name: "a", namespace: "other" } };
    expect((await bed.post(`${pods}/a/eviction`, elsewhere)).status).toBe(400);
    expect((await evict("b")).body).toMatchObject({ code: 404, message: 'pods "b" not found' });
    expect((await bed.get(`${pods}/a/eviction`)).status).toBe(405);
  });

  test("options that would break the cluster are refused", async () => {
    const deleteOptions = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect((await evict("a", { deleteOptions })).body.message).toBe(
      'Eviction.policy "a" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    );
  });

  test("its preconditions must hold", async () => {
    const { metadata } = (await bed.get(`${pods}/a`)).body;
    const given = (preconditions: object) => evict("a", { deleteOptions: { preconditions } });
    expect((await given({ uid: "other" })).status).toBe(409);
    expect((await given({ resourceVersion: "1" })).status).toBe(409);
    expect((await bed.get(`${pods}/a`)).body).toMatchObject({ metadata, status: ready });
    const { uid, resourceVersion } = metadata;
    expect((await given({ uid, resourceVersion })).status).toBe(201);
  });

  test("the previous version is accepted", async () => {
    expect((await evict("a", { apiVersion: "policy/v1beta1" })).status).toBe(201);
    expect((await evict("a", { apiVersion: "policy/v2" })).status).toBe(400);
  });

  test("a node may evict its own Pods only", async () => {
    const asNode = (node: string) => ({ user: { name: `system:node:${node}`, groups: ["system:nodes"] } });
    const { status, body } = await bed.post(`${pods}/a/eviction`, eviction("a"), asNode("other"));
    expect(status).toBe(403);
    expect(body.message).toContain("node other can only evict pods with spec.nodeName set to itself");
    expect((await bed.post(`${pods}/a/eviction`, eviction("a"), asNode("n"))).status).toBe(201);
  });
});
