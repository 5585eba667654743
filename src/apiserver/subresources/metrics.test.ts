import { beforeEach, describe, expect, test } from "vitest";
import { metricsRegistrations } from "../../api/metrics/registrations.ts";
import type { ContainerStats, NodeStats } from "../../meta/node-endpoint.ts";
import { type Bed, type Json, startBed } from "../server.suite.ts";

const refuse = () => Promise.reject(new Error("The node serves its usage alone"));
const base = "/apis/metrics.k8s.io/v1beta1";
const asTable = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };
const at = Date.UTC(2026, 0, 1);
const usage = { at, windowMs: 15_000, cpuNanoCores: 250_000_001, memoryBytes: 12 * 1024 * 1024 };

let bed: Bed;
/** The answers of the nodes that can be reached, by name. */
let stats: Map<string, NodeStats | Error>;

beforeEach(async () => {
  stats = new Map();
  const nodes = (name: string) => {
    const answer = stats.get(name);
    if (answer === undefined) return undefined;
    const ask = () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
    return { logs: refuse, exec: refuse, attach: refuse, dial: refuse, stats: ask };
  };
  bed = await startBed({ more: metricsRegistrations, nodes });
});

const namesOf = ({ items }: Json) => items.map(({ metadata }: Json) => metadata.name);

async function makePod(name: string, nodeName: string, more: { app?: string; phase?: string } = {}) {
  const { app = "web", phase = "Running" } = more;
  const metadata = { name, labels: { app } };
  const spec = { nodeName, containers: [{ name: "main", image: "web:1" }] };
  const { body } = await bed.post("/api/v1/namespaces/default/pods", { metadata, spec });
  const url = `/api/v1/namespaces/default/pods/${name}`;
  await bed.put(`${url}/status`, { ...body, status: { phase } });
  return body.metadata.uid as string;
}

const container = (name: string, more: Partial<ContainerStats> = {}): ContainerStats => ({
  name,
  ...usage,
  ...more,
});

describe("the metrics of nodes", () => {
  beforeEach(async () => {
    for (const [name, zone] of [
      ["a", "x"],
      ["b", "y"],
      ["c", "x"],
    ])
      await bed.post("/api/v1/nodes", { metadata: { name, labels: { zone } } });
    stats.set("a", { node: usage, pods: new Map() });
    stats.set("b", { node: usage, pods: new Map() });
    stats.set("c", { node: undefined, pods: new Map() });
  });

  test("are listed without the nodes that have none, which are not found", async () => {
    const { body } = await bed.get(`${base}/nodes`);
    expect(body).toMatchObject({ kind: "NodeMetricsList", apiVersion: "metrics.k8s.io/v1beta1" });
    expect(body.items[0]).toEqual({
      metadata: { name: "a", labels: { zone: "x" }, creationTimestamp: expect.any(String) },
      timestamp: "2026-01-01T00:00:00Z",
      window: "15s",
      usage: { cpu: "250000001n", memory: "12Mi" },
    });
    expect(namesOf(body)).toEqual(["a", "b"]);
    expect(namesOf((await bed.get(`${base}/nodes?labelSelector=zone=x`)).body)).toEqual(["a"]);
    expect((await bed.get(`${base}/nodes/b`)).body).toMatchObject({ kind: "NodeMetrics", window: "15s" });
    expect((await bed.get(`${base}/nodes/c`)).body.message).toBe('nodemetrics.metrics.k8s.io "c" not found');
    expect((await bed.get(`${base}/nodes/d`)).body.message).toBe('nodes "d" not found');
  });

  test("leave out a node that fails", async () => {
    stats.set("a", new Error("gone"));
    expect(namesOf((await bed.get(`${base}/nodes`)).body)).toEqual(["b"]);
  });

  test("are read-only", async () => {
    expect((await bed.post(`${base}/nodes`, { metadata: { name: "z" } })).status).toBe(405);
    expect((await bed.call("DELETE", `${base}/nodes/a`)).status).toBe(405);
  });
});

describe("the metrics of Pods", () => {
  test("are those of running Pods whose containers are measured", async () => {
    const one = await makePod("one", "a");
    const two = await makePod("two", "b", { app: "db" });
    const ended = await makePod("ended", "a", { phase: "Succeeded" });
    await makePod("new", "a");
    await makePod("lost", "c");
    const pair = [
      container("main"),
      container("side", { windowMs: 90_000, cpuNanoCores: 1, memoryBytes: 1 }),
    ];
    stats.set("a", {
      node: usage,
      pods: new Map([
        [one, pair],
        [ended, pair],
      ]),
    });
    stats.set("b", { node: usage, pods: new Map([[two, [container("main")]]]) });
    const { body } = await bed.get(`${base}/pods`);
    expect(namesOf(body)).toEqual(["one", "two"]);
    expect(body.items[0]).toEqual({
      metadata: {
        name: "one",
        namespace: "default",
        labels: { app: "web" },
        creationTimestamp: expect.any(String),
      },
      timestamp: "2026-01-01T00:00:00Z",
      window: "1m30s",
      containers: [
        { name: "main", usage: { cpu: "250000001n", memory: "12Mi" } },
        { name: "side", usage: { cpu: "1n", memory: "1" } },
      ],
    });
    const list = `${base}/namespaces/default/pods`;
    expect(namesOf((await bed.get(`${list}?labelSelector=app=db`)).body)).toEqual(["two"]);
    expect(namesOf((await bed.get(`${list}?fieldSelector=metadata.name=one`)).body)).toEqual(["one"]);
    expect(namesOf((await bed.get(`${base}/namespaces/other/pods`)).body)).toEqual([]);
    expect((await bed.get(`${list}/one`)).body).toMatchObject({ kind: "PodMetrics", window: "1m30s" });
    const message = 'podmetrics.metrics.k8s.io "default/ended" not found';
    expect((await bed.get(`${list}/ended`)).body).toMatchObject({ code: 404, message });
    expect((await bed.get(`${list}/nobody`)).body.message).toBe('pods "nobody" not found');
  });

  test("are shown in the columns of metrics-server", async () => {
    const uid = await makePod("one", "a");
    stats.set("a", { node: usage, pods: new Map([[uid, [container("main"), container("side")]]]) });
    const { body } = await bed.call("GET", `${base}/pods`, undefined, asTable);
    const names = body.columnDefinitions.map(({ name }: Json) => name);
    expect(names).toEqual(["Name", "cpu", "memory", "Window"]);
    expect(body.rows[0].cells).toEqual(["one", "500000002n", "24Mi", "15s"]);
  });
});

test("discovery lists both resources with their verbs", async () => {
  const { body } = await bed.get(base);
  const listed = body.resources.map(({ name, kind, verbs }: Json) => [name, kind, verbs]);
  expect(listed).toEqual([
    ["nodes", "NodeMetrics", ["get", "list"]],
    ["pods", "PodMetrics", ["get", "list"]],
  ]);
});

test("metrics need a permission", async () => {
  const user = { name: "somebody", groups: [] };
  expect((await bed.call("GET", `${base}/nodes`, undefined, { user })).status).toBe(403);
});
