import { configMaps, namespaces, pods, serviceAccounts } from "../src/api/index.ts";
import type { Client } from "../src/client/client.ts";
import { hasReason } from "../src/meta/status.ts";
import type { Load } from "./load.ts";

/** The tools of a measure: a client for preparation, and the load. */
export interface Bench {
  readonly client: Client;
  readonly load: Load;
  readonly namespace: string;
  /** Starts the measurement; the work before it has warmed the server up. */
  readonly begin: () => void;
}

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The number of operations that the measure made; the server's CPU time is divided by it. */
  readonly count?: number;
}

export interface Measured {
  readonly figures: readonly Figure[];
  /** Deletes the objects of the measure; the time for it does not count. */
  readonly clean: () => Promise<unknown>;
}

export type Measure = (bench: Bench) => Promise<Measured>;

const writers = 64;
const seconds = 5;
const warmUpSeconds = 3;
const listSize = 10_000;
const lists = 15;
const warmUpLists = 5;
const restMs = 30_000;
const watchers = 1000;
const watchEvents = 300;
/** The number of concurrent writers: with more, a server may cut off watchers that do not keep up. */
const watchWriters = 4;
const podCount = 500;

/** Creates 1 KiB ConfigMaps durably, by 64 concurrent clients. */
const creates: Measure = async ({ client, load, namespace, begin }) => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const createFor = async (duration: number, prefix: string) => {
    const latencies: number[] = [];
    const until = performance.now() + duration * 1000;
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let i = 0; performance.now() < until; i++) {
          const from = performance.now();
          await load.send(writer, "POST", path, 201, { body: configMap(`${prefix}-${writer}-${i}`) });
          latencies.push(performance.now() - from);
        }
      }),
    );
    return latencies;
  };
  await createFor(warmUpSeconds, "w");
  begin();
  const start = performance.now();
  const latencies = await createFor(seconds, "c");
  const took = (performance.now() - start) / 1000;
  const figures = [
    { name: "creates", value: latencies.length / took, unit: "1/s", count: latencies.length },
    { name: "create p50", value: quantile(latencies, 0.5), unit: "ms" },
    { name: "create p99", value: quantile(latencies, 0.99), unit: "ms" },
  ];
  return { figures, clean: () => client.of(configMaps, namespace).deleteCollection() };
};

function configMap(name: string): Uint8Array {
  const data = { payload: "x".repeat(1024) };
  return Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }));
}

function pod(name: string, spec: object): Uint8Array {
  const metadata = { name, labels: { app: "bench" } };
  const containers = [{ name: "c", image: "bench" }];
  return Buffer.from(
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: { automountServiceAccountToken: false, containers, ...spec },
    }),
  );
}

/** Lists ten thousand Pods that no scheduler binds, in JSON and in the form that Go's clients request. */
const list: Measure = async ({ client, load, namespace, begin }) => {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await each(listSize, writers, (index, writer) =>
    load.send(writer, "POST", path, 201, { body: pod(`p-${index}`, { schedulerName: "nobody" }) }),
  );
  const measure = async (accept: string) => {
    for (let i = 0; i < warmUpLists; i++) await load.send(0, "GET", path, 200, { accept });
    begin();
    const times: number[] = [];
    let bytes = 0;
    for (let i = 0; i < lists; i++) {
      const start = performance.now();
      bytes = await load.send(0, "GET", path, 200, { accept });
      times.push(performance.now() - start);
    }
    return { ms: quantile(times, 0.5), megabytes: bytes / 1e6 };
  };
  const protobuf = await measure("application/vnd.kubernetes.protobuf");
  const json = await measure("application/json");
  const figures = [
    { name: `list of ${listSize} Pods`, value: json.ms, unit: "ms", count: lists },
    { name: "list size", value: json.megabytes, unit: "MB" },
    { name: `list of ${listSize} Pods in protobuf`, value: protobuf.ms, unit: "ms" },
  ];
  return { figures, clean: () => client.of(pods, namespace).deleteCollection({ gracePeriodSeconds: 0 }) };
};

/** Measures the memory of ten thousand Pods at rest. */
const memory: Measure = async ({ client, load, namespace }) => {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await each(listSize, writers, (index, writer) =>
    load.send(writer, "POST", path, 201, { body: pod(`m-${index}`, { schedulerName: "nobody" }) }),
  );
  await new Promise((resolve) => setTimeout(resolve, restMs));
  return {
    figures: [],
    clean: () => client.of(pods, namespace).deleteCollection({ gracePeriodSeconds: 0 }),
  };
};

/** Measures events that arrive each second: a few writers wait until a thousand watchers have received their writes. */
const watch: Measure = async ({ client, load, namespace, begin }) => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const expected = watchEvents * watchers;
  let [made, arrived] = [0, 0];
  let heard = Promise.withResolvers<void>();
  const version = (await client.of(configMaps, namespace).list()).metadata.resourceVersion ?? "";
  const closers = await Promise.all(
    Array.from({ length: watchers }, (_, index) =>
      load.watch(
        index,
        `${path}?watch=1&resourceVersion=${version}`,
        (count) => {
          arrived += count;
          if (arrived < made * watchers) return;
          heard.resolve();
          heard = Promise.withResolvers();
        },
        (error) => heard.reject(error),
      ),
    ),
  );
  const write = async (_: number, writer: number) => {
    made += 1;
    await load.send(writer, "POST", path, 201, { body: configMap(`w-${made}`) });
    if (arrived < made * watchers) await heard.promise;
  };
  await each(watchEvents, watchWriters, write);
  begin();
  const start = performance.now();
  await each(watchEvents, watchWriters, write);
  const took = (performance.now() - start) / 1000;
  for (const close of closers) close();
  const figures = [
    { name: `events to ${watchers} watchers`, value: expected / took, unit: "1/s", count: expected },
  ];
  return { figures, clean: () => client.of(configMaps, namespace).deleteCollection() };
};

/** Measures the time until all of the Pods that are created at once are running. */
const run: Measure = async ({ client, load, namespace }) => {
  const start = performance.now();
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await each(podCount, writers, (index, writer) =>
    load.send(writer, "POST", path, 201, { body: pod(`r-${index}`, { terminationGracePeriodSeconds: 0 }) }),
  );
  const all = client.of(pods, namespace);
  const running = async () => (await all.list({ fieldSelector: "status.phase=Running" })).items.length;
  while ((await running()) < podCount) await new Promise((resolve) => setTimeout(resolve, 20));
  const took = (performance.now() - start) / 1000;
  const name = `${podCount} Pods created, scheduled and Running`;
  const figures = [{ name, value: podCount / took, unit: "1/s" }];
  return { figures, clean: () => all.deleteCollection({ gracePeriodSeconds: 0 }) };
};

export const measures: Readonly<Record<string, Measure>> = { creates, list, memory, watch, run };

/** Creates a namespace that is ready for Pods, and deletes it afterwards. */
export async function inNamespace<T>(client: Client, work: (namespace: string) => Promise<T>): Promise<T> {
  const name = `bench-${process.pid}`;
  await client.of(namespaces).create({ metadata: { name } });
  try {
    await accountIn(client, name);
    return await work(name);
  } finally {
    await client.of(namespaces).delete(name);
  }
}

/** Creates the ServiceAccount that Pods need, unless a controller was faster. */
async function accountIn(client: Client, namespace: string): Promise<void> {
  try {
    await client.of(serviceAccounts, namespace).create({ metadata: { name: "default" } });
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}

export async function each(
  count: number,
  workers: number,
  work: (index: number, worker: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let index = next++; index < count; index = next++) await work(index, worker);
    }),
  );
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
