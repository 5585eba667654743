import { configMaps, namespaces, pods } from "../src/api/index.ts";
import type { Client } from "../src/client/client.ts";
import { hasReason } from "../src/meta/status.ts";

/** What a measure works with: some clients, each with a connection of its own. */
export interface Subject {
  readonly clients: readonly Client[];
  readonly namespace: string;
}

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export type Measure = (subject: Subject) => Promise<readonly Figure[]>;

const writers = 64;
const seconds = 5;
const listSize = 10_000;
const watchers = 1000;
const watchEvents = 200;
const podCount = 500;

/** Durable creates of ConfigMaps of 1 KiB by 64 concurrent clients. */
const creates: Measure = async ({ clients, namespace }) => {
  const data = { payload: "x".repeat(1024) };
  const latencies: number[] = [];
  const until = performance.now() + seconds * 1000;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const client = clientOf(clients, writer).of(configMaps, namespace);
      for (let i = 0; performance.now() < until; i++) {
        const from = performance.now();
        await client.create({ metadata: { name: `c-${writer}-${i}` }, data });
        latencies.push(performance.now() - from);
      }
    }),
  );
  const took = (performance.now() - start) / 1000;
  await clientOf(clients, 0).of(configMaps, namespace).deleteCollection();
  return [
    { name: "creates", value: latencies.length / took, unit: "1/s" },
    { name: "create p50", value: quantile(latencies, 0.5), unit: "ms" },
    { name: "create p99", value: quantile(latencies, 0.99), unit: "ms" },
  ];
};

/** LIST of ten thousand Pods that no scheduler takes up. */
const list: Measure = async ({ clients, namespace }) => {
  await each(listSize, writers, async (index, writer) => {
    await clientOf(clients, writer)
      .of(pods, namespace)
      .create({
        metadata: { name: `p-${index}`, labels: { app: "bench" } },
        spec: {
          schedulerName: "nobody",
          automountServiceAccountToken: false,
          containers: [{ name: "c", image: "bench" }],
        },
      });
  });
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < 7; i++) {
    const start = performance.now();
    const stream = await clientOf(clients, 0).transport.stream({ method: "GET", path });
    bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    times.push(performance.now() - start);
  }
  await clientOf(clients, 0).of(pods, namespace).deleteCollection({ gracePeriodSeconds: 0 });
  return [
    { name: `list of ${listSize} Pods`, value: quantile(times, 0.5), unit: "ms" },
    { name: "list size", value: bytes / 1e6, unit: "MB" },
  ];
};

/** One writer, a thousand watchers: events that arrived, for each second. */
const watch: Measure = async ({ clients, namespace }) => {
  const stop = new AbortController();
  const arrived = { count: 0 };
  const started: Promise<void>[] = [];
  const running = Array.from({ length: watchers }, async (_, index) => {
    const first = Promise.withResolvers<void>();
    started.push(first.promise);
    try {
      for await (const batch of clientOf(clients, index)
        .of(configMaps, namespace)
        .watch({ signal: stop.signal, resourceVersion: "0" })) {
        for (const event of batch) {
          if (event.type === "BOOKMARK" || event.type === "ERROR") continue;
          if (event.object.metadata.name === "marker") first.resolve();
          else arrived.count += 1;
        }
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  });
  const client = clientOf(clients, 0).of(configMaps, namespace);
  await client.create({ metadata: { name: "marker" } });
  await Promise.all(started);
  arrived.count = 0;
  const data = { payload: "x".repeat(1024) };
  const start = performance.now();
  await each(watchEvents, 16, (index) => client.create({ metadata: { name: `w-${index}` }, data }));
  while (arrived.count < watchEvents * watchers) await new Promise((resolve) => setImmediate(resolve));
  const took = (performance.now() - start) / 1000;
  stop.abort();
  await Promise.all(running);
  await client.deleteCollection();
  return [{ name: `events to ${watchers} watchers`, value: (watchEvents * watchers) / took, unit: "1/s" }];
};

/** Pods created at once: until all of them run. */
const run: Measure = async ({ clients, namespace }) => {
  const start = performance.now();
  await each(podCount, writers, async (index, writer) => {
    await clientOf(clients, writer)
      .of(pods, namespace)
      .create({
        metadata: { name: `r-${index}` },
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "c", image: "bench" }],
        },
      });
  });
  const client = clientOf(clients, 0).of(pods, namespace);
  const running = async () => (await client.list({ fieldSelector: "status.phase=Running" })).items.length;
  while ((await running()) < podCount) await new Promise((resolve) => setTimeout(resolve, 20));
  const took = (performance.now() - start) / 1000;
  await client.deleteCollection({ gracePeriodSeconds: 0 });
  return [{ name: `${podCount} Pods created, scheduled and Running`, value: podCount / took, unit: "1/s" }];
};

export const measures: Readonly<Record<string, Measure>> = { creates, list, watch, run };

/** A namespace of our own, ready for Pods, and gone afterwards. */
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

async function accountIn(client: Client, namespace: string): Promise<void> {
  const { serviceAccounts } = await import("../src/api/index.ts");
  for (;;) {
    try {
      await client.of(serviceAccounts, namespace).get("default");
      return;
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function clientOf(clients: readonly Client[], index: number): Client {
  const client = clients[index % clients.length];
  if (client === undefined) throw new TypeError("there is at least one client");
  return client;
}

async function each(
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

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
