import { beforeEach, describe, expect, test } from "vitest";
import type { MetricSpec } from "../../api/autoscaling/horizontal-pod-autoscaler/metrics.ts";
import { Client } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import { parseSelector } from "../../meta/label-parser.ts";
import { errors } from "../../meta/status.ts";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { KindFinder } from "../kind-finder.ts";
import { MetricsReader } from "./readings.ts";

const unused = () => {
  throw new Error("unexpected call");
};

/** Answers GETs by path and query, and notes them. */
class FakeApi implements Transport {
  readonly shared = false;
  readonly asked: string[] = [];
  readonly answers = new Map<string, object>();
  readonly watch = unused;
  readonly stream = unused;

  async request({ path, query = new URLSearchParams() }: Parameters<Transport["request"]>[0]) {
    const search = query.toString();
    const url = search === "" ? path : `${path}?${decodeURIComponent(search)}`;
    this.asked.push(url);
    const value = this.answers.get(url);
    if (value === undefined) throw errors.noSuchPath();
    return { status: 200, headers: {}, value };
  }

  async close() {}
}

const timestamp = "2026-01-01T00:00:00Z";
const at = Date.parse(timestamp);
const selector = parseSelector("app=web");
const custom = "/apis/custom.metrics.k8s.io";
const metric = { name: "qps", selector: { matchLabels: { zone: "a" } } };
const target = { type: "Value", value: "1" };

let api = new FakeApi();
let clock = new VirtualClock();
let reader = new MetricsReader(new KindFinder());

beforeEach(() => {
  api = new FakeApi();
  clock = new VirtualClock();
  reader = new MetricsReader(new KindFinder());
});

function read(one: MetricSpec) {
  const { signal } = new AbortController();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const request = { client: new Client(api), namespace: "default", env, signal };
  return reader.read(one, selector, request);
}

describe("resource metrics", () => {
  const path = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app=web";
  const cpu = { type: "Resource", resource: { name: "cpu", target } };
  const items = [
    {
      metadata: { name: "a" },
      timestamp,
      window: "30s",
      containers: [
        { name: "one", usage: { cpu: "100m", memory: "1Ki" } },
        { name: "two", usage: { cpu: "50400u" } },
      ],
    },
    { metadata: { name: "b" }, timestamp, window: "1m0s", containers: [{ name: "one", usage: {} }] },
    { metadata: { name: "c" }, timestamp, window: "1m0s", containers: [] },
  ];

  test("are the sums over all containers, without Pods that lack a part", async () => {
    api.answers.set(path, { items });
    const one = { value: 151, timestamp: at, windowMs: 30_000 };
    expect(await read(cpu)).toEqual({ pods: new Map([["a", one]]) });
  });

  test("are those of one container", async () => {
    api.answers.set(path, { items });
    const containerResource = { name: "memory", container: "one", target };
    const one = { value: 1_024_000, timestamp: at, windowMs: 30_000 };
    expect(await read({ type: "ContainerResource", containerResource })).toEqual({
      pods: new Map([["a", one]]),
    });
  });

  test("fail when there are none, and when they are not served", async () => {
    expect(await read(cpu)).toEqual({
      error:
        "unable to fetch metrics from resource metrics API: the server could not find the requested resource",
    });
    api.answers.set(path, { items: [] });
    expect(await read(cpu)).toEqual({ error: "no metrics returned from resource metrics API" });
  });
});

describe("custom metrics", () => {
  const pods: MetricSpec = { type: "Pods", pods: { metric, target } };
  const place = "namespaces/default/pods/*/qps?labelSelector=app=web&metricLabelSelector=zone=a";
  const valueOf = (name: string, more: object) => ({
    describedObject: { name },
    timestamp,
    value: "1500m",
    ...more,
  });

  test.each([
    ["v1beta2", { windowSeconds: 30 }],
    ["v1beta1", { window: 30 }],
  ])("of Pods are read in %s", async (version, window) => {
    api.answers.set(custom, {
      preferredVersion: { version: "v9" },
      versions: [{ version: "v9" }, { version }],
    });
    api.answers.set(`${custom}/${version}/${place}`, { items: [valueOf("a", window), valueOf("b", {})] });
    expect(await read(pods)).toEqual({
      pods: new Map([
        ["a", { value: 1500, timestamp: at, windowMs: 30_000 }],
        ["b", { value: 1500, timestamp: at, windowMs: 60_000 }],
      ]),
    });
  });

  test.each([
    [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }, "deployments.apps/web/qps"],
    [{ kind: "Namespace", name: "other" }, "metrics/qps"],
  ])("of the object %j are read", async (describedObject, path) => {
    const resources = [
      { resource: "deployments", responseKind: { kind: "Deployment" }, scope: "Namespaced", verbs: [] },
    ];
    const groups = [{ metadata: { name: "apps" }, versions: [{ version: "v1", resources }] }];
    api.answers.set("/api", { kind: "APIGroupDiscoveryList", items: [] });
    api.answers.set("/apis", { kind: "APIGroupDiscoveryList", items: groups });
    api.answers.set(custom, { preferredVersion: { version: "v1beta2" } });
    const url = `${custom}/v1beta2/namespaces/default/${path}?metricLabelSelector=zone=a`;
    const object = { type: "Object", object: { metric, describedObject, target } };
    api.answers.set(url, { items: [valueOf("web", {})] });
    expect(await read(object)).toEqual({ values: [1500] });
    api.answers.set(url, { items: [valueOf("web", {}), valueOf("web", {})] });
    expect(await read(object)).toEqual({
      error:
        "unable to fetch metrics from custom metrics API: the custom metrics API server returned 2 results when we asked for exactly one",
    });
  });

  test("ask for the version once in 15 seconds", async () => {
    api.answers.set(custom, { preferredVersion: { version: "v1beta2" } });
    const versions = () => api.asked.filter((one) => one === custom).length;
    await read(pods);
    await clock.advance(14_000);
    await read(pods);
    expect(versions()).toBe(1);
    await clock.advance(1_000);
    await read(pods);
    expect(versions()).toBe(2);
  });

  test.each<[string, object | undefined]>([
    ["no custom metrics API (custom.metrics.k8s.io) registered", undefined],
    ["no known available metric versions found", { versions: [{ version: "v9" }] }],
  ])("fail with: %s", async (error, group) => {
    if (group !== undefined) api.answers.set(custom, group);
    expect(await read(pods)).toEqual({ error: `unable to fetch metrics from custom metrics API: ${error}` });
  });

  test("fail when the answer is none", async () => {
    api.answers.set(custom, { preferredVersion: { version: "v1beta2" } });
    api.answers.set(`${custom}/v1beta2/${place}`, { items: [{ value: 5, timestamp: [] }] });
    expect(await read(pods)).toMatchObject({ error: expect.stringMatching(/the answer is invalid/) });
    api.answers.set(`${custom}/v1beta2/${place}`, { items: [] });
    expect(await read(pods)).toEqual({ error: "no metrics returned from custom metrics API" });
  });
});

test("external metrics are the values of all series", async () => {
  const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/qps?labelSelector=zone=a";
  const external: MetricSpec = { type: "External", external: { metric, target } };
  api.answers.set(path, {
    items: [
      { value: "2", timestamp },
      { value: "500m", timestamp },
    ],
  });
  expect(await read(external)).toEqual({ values: [2000, 500] });
  api.answers.set(path, { items: [] });
  expect(await read(external)).toEqual({ error: "no metrics returned from external metrics API" });
});
