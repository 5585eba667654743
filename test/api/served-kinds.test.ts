import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { registrationOf } from "../../src/api/pipeline.suite.ts";
import { inDefault, type Json, startBed } from "../../src/apiserver/server.suite.ts";

/**
 * One object of each kind, from those that strategies are compared with upstream's for. Services are left out because
 * their address is in another range.
 */
const folder = new URL("../fixtures/strategies/", import.meta.url);
const recorded = readdirSync(folder).flatMap((file) => {
  const lines = readFileSync(new URL(file, folder), "utf8").trim().split("\n");
  return lines.map((line): Json => JSON.parse(line)).filter(({ now }) => now !== undefined);
});
const byKind = new Map<string, Json>(
  recorded.toReversed().map(({ of, given }): [string, Json] => [of, given]),
);
byKind.delete("v1 Service");
const objects = [...byKind.values()];

const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

describe("a server", () => {
  test.each(objects)("stores one $kind of $apiVersion", async (object: Json) => {
    const bed = await startBed();
    const { kind } = registrationOf(object.apiVersion as string, object.kind as string);
    const base = kind.group === "" ? "/api/v1" : `/apis/${kind.apiVersion}`;
    const collection = `${base}${kind.namespaced ? "/namespaces/default" : ""}/${kind.plural}`;
    const { metadata, spec } = await bed.make(collection, object);
    const url = `${collection}/${metadata.name}`;
    // A definition is established at once.
    await bed.clock.settle();
    const made = (await bed.get(url)).body;
    expect(made).toMatchObject({ metadata: { uid: metadata.uid }, ...(spec === undefined ? {} : { spec }) });
    expect((await bed.get(collection, { headers: table })).body.rows[0].cells).toHaveLength(
      (await bed.get(url, { headers: table })).body.columnDefinitions.length,
    );

    const before = bed.revision;
    expect((await bed.put(url, made)).status).toBe(200);
    expect(bed.revision).toBe(before);

    const labelled = await bed.patch(url, { metadata: { labels: { a: "b" } } });
    expect(labelled.body.metadata.labels).toMatchObject({ a: "b" });
    if (kind.status) expect((await bed.put(`${url}/status`, labelled.body)).status).toBe(200);
    expect((await bed.delete(url)).status).toBe(200);
  });
});

describe("a HorizontalPodAutoscaler", () => {
  const newer = inDefault("horizontalpodautoscalers", "autoscaling/v2");
  const older = inDefault("horizontalpodautoscalers", "autoscaling/v1");
  const pods = {
    type: "Pods",
    pods: { metric: { name: "rate" }, target: { type: "AverageValue", averageValue: "10" } },
  };
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
  };
  const conditions = [{ type: "ScalingActive", status: "True", reason: "ValidMetricFound" }];
  const body = {
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 5,
      metrics: [pods, cpu],
    },
  };

  test("is one object in two versions, and the newer version is preferred", async () => {
    const bed = await startBed();
    const made = await bed.make(newer, body);
    await bed.put(`${newer}/web/status`, { ...made, status: { desiredReplicas: 2, conditions } });
    const { body: old } = await bed.get(`${older}/web`);
    expect(old).toMatchObject({
      apiVersion: "autoscaling/v1",
      metadata: { uid: made.metadata.uid },
      spec: { targetCPUUtilizationPercentage: 50 },
      status: { desiredReplicas: 2 },
    });
    expect(Object.keys(old.metadata.annotations as object).map((name) => name.split("/")[1])).toEqual([
      "conditions",
      "metrics",
    ]);
    const group = (await bed.get("/apis/autoscaling")).body;
    expect(group.preferredVersion.version).toBe("v2");
    expect(group.versions.map(({ version }: Json) => version as string)).toEqual(["v2", "v1"]);
  });

  test("keeps its status when a client of the older version replaces it", async () => {
    const bed = await startBed();
    const made = await bed.make(newer, body);
    await bed.put(`${newer}/web/status`, { ...made, status: { desiredReplicas: 2, conditions } });
    const watching = await bed.watch(`${newer}?watch=1&resourceVersion=${bed.revision}`);
    const { metrics: _, ...spec } = body.spec;
    const written = await bed.put(`${older}/web`, {
      metadata: { name: "web" },
      spec: { ...spec, targetCPUUtilizationPercentage: 70 },
    });
    expect(written.status).toBe(200);
    await bed.clock.settle();
    expect(watching.lines).toMatchObject([
      {
        type: "MODIFIED",
        object: {
          apiVersion: "autoscaling/v2",
          spec: { metrics: [{ resource: { target: { averageUtilization: 70 } } }] },
          status: { desiredReplicas: 2, conditions },
        },
      },
    ]);
  });
});

test("a HorizontalPodAutoscaler keeps quantities absent that its older version shows as zero", async () => {
  const newer = inDefault("horizontalpodautoscalers", "autoscaling/v2");
  const older = inDefault("horizontalpodautoscalers", "autoscaling/v1");
  const bed = await startBed();
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  await bed.make(newer, { metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 5 } });
  const currentMetrics = [{ type: "Pods", pods: { metric: { name: "rate" }, current: {} } }];
  await bed.patch(`${newer}/web/status`, { status: { desiredReplicas: 2, currentMetrics } });
  const shown = (await bed.get(`${older}/web`)).body.metadata.annotations;
  expect(shown["autoscaling.alpha.kubernetes.io/current-metrics"]).toContain('"currentAverageValue":"0"');
  expect((await bed.patch(`${older}/web`, { spec: { maxReplicas: 9 } })).status).toBe(200);
  const { spec, status } = (await bed.get(`${newer}/web`)).body;
  expect(spec.maxReplicas).toBe(9);
  expect(status.currentMetrics).toEqual(currentMetrics);

  await bed.patch(`${newer}/web/status`, { status: { currentMetrics: null } });
  await bed.patch(`${older}/web/status`, { status: { currentCPUUtilizationPercentage: 0 } });
  expect((await bed.get(`${newer}/web`)).body.status.currentMetrics).toEqual([
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 0 } } },
  ]);
});

test("a Table of FlowSchemas is in the order of precedence, a list in the order of names", async () => {
  const bed = await startBed();
  const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
  const given = { b: 30, d: 7, c: 8000, a: 30 };
  for (const [name, matchingPrecedence] of Object.entries(given)) {
    await bed.make(schemas, {
      metadata: { name },
      spec: { matchingPrecedence, priorityLevelConfiguration: { name: "exempt" } },
    });
  }
  const rows: readonly Json[] = (await bed.get(schemas, { headers: table })).body.rows;
  expect(rows.map(({ cells }) => [cells[0], cells[2]])).toEqual([
    ["d", 7],
    ["a", 30],
    ["b", 30],
    ["c", 8000],
  ]);
  const items: readonly Json[] = (await bed.get(schemas)).body.items;
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c", "d"]);
});

test("a Job gets labels and a selector for its Pods only", async () => {
  const bed = await startBed();
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
  const made = await bed.make(inDefault("jobs", "batch/v1"), {
    metadata: { generateName: "sum-" },
    spec: { template },
  });
  const { name, uid } = made.metadata;
  const generated = { "job-name": name, "batch.kubernetes.io/controller-uid": uid };
  expect(made).toMatchObject({
    metadata: { labels: generated, generation: 1 },
    spec: {
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: { metadata: { labels: generated } },
    },
  });
  const selected = await bed.get(`${inDefault("jobs", "batch/v1")}?fieldSelector=status.successful%3D0`);
  expect(selected.body.items).toHaveLength(1);
});
