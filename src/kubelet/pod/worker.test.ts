import { beforeEach, expect, test } from "vitest";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { Allocations } from "../allocation/allocations.ts";
import { nodeContext } from "../node-context.suite.ts";
import type { SandboxStatus } from "../runtime.ts";
import { noVolumes } from "../simulated/no-volumes.ts";
import { deadlineInMs } from "./deadline.ts";
import { PodWorker } from "./worker.ts";

let clock: VirtualClock;
let prepared: number;
let refusal: string | undefined;
/** Resolves when the volumes are ready. */
let mounted: Promise<void>;
let events: string[];
/** The signal of the latest wait for volumes. */
let waiting: AbortSignal | undefined;
let written: Pod[];
/** The number of syncs that were not skipped. */
let syncs: number;
let worker: PodWorker;
let runtime: { startsAtOnce?: true; readonly stopContainer: () => Promise<void>; readonly images: object };

beforeEach(() => {
  clock = new VirtualClock();
  prepared = 0;
  refusal = undefined;
  mounted = Promise.resolve();
  events = [];
  written = [];
  syncs = 0;
  const never = () => new Promise(() => {});
  runtime = { stopContainer: () => Promise.resolve(), images: { inspect: never } };
  const node = nodeContext({
    env: { clock, random: systemRandom, log: silentLogger },
    runtime,
    refresh: () => Promise.resolve(),
    addresses: { hostIPs: [], runtimeName: "none" },
    allocations: new Allocations({
      env: { clock, log: silentLogger },
      events: { event() {} },
      facts: () => undefined,
      preempt() {},
    }),
    probes: { follow: () => void syncs++, results: () => new Map() },
    client: { of: () => ({ updateStatus: (pod: Pod) => Promise.resolve(void written.push(pod)) }) },
    events: {
      event: (_: unknown, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason} ${message}`),
    },
    volumes: {
      ...noVolumes,
      prepare: (_node: unknown, _pod: unknown, signal?: AbortSignal) => {
        prepared++;
        waiting = signal;
        return refusal === undefined ? mounted.then(() => new Map()) : Promise.reject(new Error(refusal));
      },
    },
  });
  worker = new PodWorker(node, () => {});
});

function aPod(metadata: object = {}): Pod {
  const fields = {
    metadata: { name: "p", namespace: "default", uid: "u1", ...metadata },
    spec: { containers: [{ name: "a" }] },
  };
  return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
}

function aSandbox(): SandboxStatus {
  const container = {
    id: "c1",
    name: "a",
    attempt: 0,
    state: "running",
    createdAt: 0,
    image: "i",
    imageId: "i",
    logPath: "",
  } as const;
  return {
    id: "s1",
    pod: { uid: "u1", namespace: "default", name: "p" },
    attempt: 0,
    state: "ready",
    createdAt: 0,
    ips: [],
    containers: [container],
  };
}

test("volumes of running containers are updated when due, and when the Pod changes", async () => {
  await worker.sync(aPod(), [aSandbox()]);
  expect(prepared).toBe(0);
  worker.volumesDue();
  await worker.sync(aPod(), [aSandbox()]);
  await worker.sync(aPod(), [aSandbox()]);
  expect(prepared).toBe(1);
  await worker.sync(aPod({ labels: { now: "different" } }), [aSandbox()]);
  expect(prepared).toBe(2);
  worker.volumesDue();
  const terminating = { labels: { now: "different" }, deletionTimestamp: "2030-01-01T00:00:00Z" };
  await worker.sync(aPod(terminating), [aSandbox()]);
  expect(prepared).toBe(2);
});

test("a Pod at rest is not synced again, until it, its containers, its volumes or the node ask for it", async () => {
  const sandboxes = [aSandbox()];
  await worker.sync(aPod(), sandboxes);
  const pod = written[0] ?? aPod();
  await worker.sync(pod, sandboxes);
  await worker.sync(pod, sandboxes);
  await worker.sync(pod, sandboxes);
  expect(syncs).toBe(2);
  await worker.sync({ ...pod }, sandboxes);
  await worker.sync({ ...pod }, [aSandbox()]);
  expect(syncs).toBe(4);
  const next = written.at(-1) ?? pod;
  await worker.sync(next, sandboxes);
  worker.volumesDue();
  await worker.sync(next, sandboxes);
  worker.end({ reason: "Evicted", message: "no space" });
  await worker.sync(next, sandboxes);
  expect(syncs).toBe(7);
});

test("a Pod ends at its deadline, which is met though nothing else happens", async () => {
  const sandboxes = [aSandbox()];
  await worker.sync(aPod(), sandboxes);
  const running = written[0] ?? aPod();
  const pod = { ...running, spec: { ...running.spec, activeDeadlineSeconds: 90 } };
  expect(await worker.sync(pod, sandboxes)).toBe(90_000);
  await clock.advance(89_000);
  expect(await worker.sync(pod, sandboxes)).toBe(1000);
  expect(events).toEqual([]);
  await clock.advance(1000);
  expect(await worker.sync(pod, sandboxes)).toBeUndefined();
  await worker.sync(pod, [{ ...aSandbox(), containers: [] }]);
  const message = "Pod was active on the node longer than the specified deadline";
  expect(events).toEqual([`Normal DeadlineExceeded ${message}`, "Normal Killing Stopping container a"]);
  expect(written.at(-1)?.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded", message });
});

test.each<[Pod["status"], number | undefined, number | undefined]>([
  [{ startTime: "2026-01-01T00:00:00Z" }, 5, 4000],
  [{ startTime: "2026-01-01T00:00:00Z" }, 2_147_483_647, 86_400_000],
  [{ startTime: "2025-01-01T00:00:00Z" }, 5, 0],
  [{ startTime: "2025-01-01T00:00:00Z", phase: "Succeeded" }, 5, undefined],
  [{ startTime: "2025-01-01T00:00:00Z" }, undefined, undefined],
  [{}, 5, undefined],
])("the deadline of a Pod with the status %j and %j seconds comes in %j ms", (status, seconds, expected) => {
  const pod = aPod();
  const spec = { ...pod.spec, ...(seconds === undefined ? {} : { activeDeadlineSeconds: seconds }) };
  expect(deadlineInMs({ ...pod, spec, status }, Date.UTC(2026, 0, 1, 0, 0, 1))).toBe(expected);
});

test("a request during a sync is not lost", async () => {
  const sandboxes = [aSandbox()];
  await worker.sync(aPod(), sandboxes);
  const pod = written[0] ?? aPod();
  const sync = worker.sync(pod, sandboxes);
  worker.end({ reason: "Evicted", message: "no space" });
  await sync;
  await worker.sync(pod, sandboxes);
  expect(syncs).toBe(3);
});

test("a volume that cannot be updated causes an Event, and the Pod keeps running", async () => {
  refusal = 'configmaps "settings" not found';
  worker.volumesDue();
  await worker.sync(aPod(), [aSandbox()]);
  await Promise.resolve();
  expect(events).toEqual(['Warning FailedMount configmaps "settings" not found']);
});

test("a sandbox that cannot be created is retried after its back-off", async () => {
  refusal = 'secret "key" not found';
  await worker.sync(aPod(), []);
  await worker.sync(aPod(), []);
  expect(prepared).toBe(1); // Still in progress.
  await clock.settle();
  expect(await worker.sync(aPod(), [])).toBe(10_000);
  await clock.advance(10_000);
  await worker.sync(aPod(), []);
  await clock.settle();
  expect(prepared).toBe(2);
  expect(await worker.sync(aPod(), [])).toBe(20_000);
});

test("the first report comes before the starts, and the next one waits for them, but not for long", async () => {
  mounted = Promise.withResolvers<void>().promise;
  expect(await worker.sync(aPod(), [])).toBeUndefined();
  expect(written).toMatchObject([{ status: { phase: "Pending" } }]);
  const pod = written.at(-1) ?? aPod();
  const sandbox = { ...aSandbox(), containers: [], ips: ["10.0.0.1"] };
  expect(await worker.sync(pod, [sandbox])).toBe(100);
  await clock.advance(60);
  expect(await worker.sync(pod, [sandbox])).toBe(40);
  expect(written.length).toBe(1);
  await clock.advance(40);
  expect(await worker.sync(pod, [sandbox])).toBeUndefined();
  expect(written).toMatchObject([{}, { status: { phase: "Pending", podIP: "10.0.0.1" } }]);
});

test("where starts end at once, the first report waits for them too", async () => {
  runtime.startsAtOnce = true;
  mounted = Promise.withResolvers<void>().promise;
  expect(await worker.sync(aPod(), [])).toBe(100);
  await clock.advance(50);
  expect(await worker.sync(aPod(), [aSandbox()])).toBe(50);
  expect(written).toEqual([]);
  await clock.advance(50);
  await worker.sync(aPod(), [aSandbox()]);
  expect(written).toMatchObject([{ status: { phase: "Running" } }]);
});

test("a deletion ends the wait for volumes, without an Event", async () => {
  mounted = new Promise((_, reject) => {
    queueMicrotask(() => waiting?.addEventListener("abort", () => reject(new Error("aborted"))));
  });
  await worker.sync(aPod(), []);
  expect(waiting?.aborted).toBe(false);
  const deletionTimestamp = new Date(clock.now()).toISOString();
  await worker.sync(aPod({ deletionTimestamp, deletionGracePeriodSeconds: 30 }), []);
  expect(waiting?.aborted).toBe(true);
  await clock.advance(0);
  expect(events).toEqual([]);
});
