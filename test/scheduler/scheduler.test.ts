import { afterEach, expect, test } from "vitest";
import { events } from "../../src/api/core/event/schema.ts";
import { priorityClasses } from "../../src/api/scheduling/priority-class/schema.ts";
import { nodes } from "../../src/api/core/node/schema.ts";
import { type Pod, pods } from "../../src/api/core/pod/schema.ts";
import { startCluster, type TestCluster, VirtualClock } from "../../src/testing/index.ts";

let cluster: TestCluster | undefined;
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(count: number) {
  const clock = new VirtualClock();
  const started = await startCluster({ nodes: count, clock });
  cluster = started;
  const { client } = started;
  const podsOf = client.of(pods, "default");
  /** Waits, on virtual time, until the value of `probe` satisfies `done`. */
  const until = async <T>(probe: () => Promise<T>, done: (found: T) => boolean): Promise<T> => {
    for (let second = 0; second < 600; second++) {
      const found = await probe();
      if (done(found)) return found;
      await clock.advance(1000);
    }
    throw new Error("the condition was not met within ten minutes");
  };
  await until(
    () => client.of(nodes).list(),
    ({ items }) =>
      items.length === count &&
      items.every(
        ({ spec, status }) =>
          (spec.taints ?? []).length === 0 &&
          status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
      ),
  );
  const create = (name: string, spec: object = {}, requests: Record<string, string> = {}) =>
    podsOf.create({
      metadata: { name },
      spec: { containers: [{ name: "main", image: "web:1", resources: { requests } }], ...spec },
    });
  const get = (name: string) => podsOf.get(name);
  const eventsOf = async (name: string) =>
    (await client.of(events, "default").list()).items.filter(
      ({ involvedObject }) => involvedObject.name === name,
    );
  return { client, clock, podsOf, until, create, get, eventsOf };
}

const scheduled = ({ spec }: Pod) => spec.nodeName !== undefined;
const condition = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodScheduled");

test("two hundred Pods on fifty nodes are all bound, and no node is overcommitted", async () => {
  const { until, create, podsOf } = await start(50);
  // A node has 32 CPUs: four such Pods fill it, so that all fifty are full.
  for (let i = 0; i < 200; i++) await create(`web-${i}`, {}, { cpu: "8" });
  const { items } = await until(
    () => podsOf.list(),
    ({ items }) => items.every(scheduled),
  );
  const perNode = Map.groupBy(items, ({ spec }) => spec.nodeName);
  expect(perNode.size).toBe(50);
  expect([...perNode.values()].map((each) => each.length)).toEqual(Array.from({ length: 50 }, () => 4));
});

const cordoned =
  "0/1 nodes are available: 1 node(s) were unschedulable. " +
  "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

test("a Pod that fits no node gets a condition and an Event, and is bound once a node is uncordoned", async () => {
  const { client, until, create, get, eventsOf } = await start(1);
  await client.of(nodes).patch("node-1", { spec: { unschedulable: true } }, { type: "merge" });
  await until(
    () => client.of(nodes).get("node-1"),
    ({ spec }) => (spec.taints ?? []).length > 0,
  );
  await create("web");
  const told = await until(
    () => eventsOf("web"),
    (found) => found.length > 0,
  );
  expect(told.map(({ type, reason, message }) => ({ type, reason, message }))).toEqual([
    {
      type: "Warning",
      reason: "FailedScheduling",
      message: cordoned,
    },
  ]);
  expect(condition(await get("web"))).toMatchObject({
    status: "False",
    reason: "Unschedulable",
    message: cordoned,
  });
  await client.of(nodes).patch("node-1", { spec: { unschedulable: null } }, { type: "merge" });
  const placed = await until(() => get("web"), scheduled);
  expect(condition(placed)?.status).toBe("True");
  const all = await until(
    () => eventsOf("web"),
    (found) => found.some(({ reason }) => reason === "Scheduled"),
  );
  expect(all.map(({ message }) => message)).toContain("Successfully assigned default/web to node-1");
});

test("a Pod that waits for room is bound once another Pod is deleted", async () => {
  const { until, create, get, podsOf, eventsOf } = await start(1);
  await create("first", {}, { cpu: "32" });
  await until(() => get("first"), scheduled);
  await create("second", {}, { cpu: "32" });
  const [told] = await until(
    () => eventsOf("second"),
    (found) => found.length > 0,
  );
  expect(told?.message).toBe(
    "0/1 nodes are available: 1 Insufficient cpu. " +
      "no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  );
  await podsOf.delete("first");
  await until(() => get("second"), scheduled);
});

test("a gated Pod is not scheduled before its gates are removed", async () => {
  const { clock, until, create, get, eventsOf, podsOf } = await start(1);
  await create("gated", { schedulingGates: [{ name: "acme.com/quota" }] });
  await clock.advance(30_000);
  const waiting = await get("gated");
  expect(scheduled(waiting)).toBe(false);
  expect(condition(waiting)?.reason).toBe("SchedulingGated");
  expect(await eventsOf("gated")).toEqual([]);
  await podsOf.patch("gated", { spec: { schedulingGates: null } }, { type: "merge" });
  await until(() => get("gated"), scheduled);
});

const classes: readonly { name: string; value: number; preemptionPolicy?: "Never" }[] = [
  { name: "high", value: 1000 },
  { name: "polite", value: 1000, preemptionPolicy: "Never" },
  { name: "low", value: 10 },
];

async function startWithClasses(count: number) {
  const started = await start(count);
  for (const { name, ...rest } of classes)
    await started.client.of(priorityClasses).create({ metadata: { name }, ...rest });
  return started;
}

test("a Pod preempts the least important Pods, whose condition and Event have the reason", async () => {
  const { until, create, get, podsOf, eventsOf } = await startWithClasses(1);
  await create("low", { priorityClassName: "low", terminationGracePeriodSeconds: 30 }, { cpu: "16" });
  const slow = {
    name: "main",
    image: "web:1",
    resources: { requests: { cpu: "16" } },
    lifecycle: { preStop: { sleep: { seconds: 20 } } },
  };
  await create("plain", { containers: [slow] });
  await until(
    () => podsOf.list(),
    ({ items }) => items.every(({ status }) => status.phase === "Running"),
  );
  await create("high", { priorityClassName: "high" }, { cpu: "16" });
  const nominated = await until(
    () => get("high"),
    ({ status }) => status.nominatedNodeName !== undefined,
  );
  expect(nominated.status.nominatedNodeName).toBe("node-1");
  const victim = await get("plain");
  expect(victim.metadata.deletionTimestamp).toBeDefined();
  expect(victim.status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "PreemptionByScheduler",
    message: "default-scheduler: preempting to accommodate a higher priority pod",
  });
  const { uid } = nominated.metadata;
  const [told] = await until(
    () => eventsOf("plain"),
    (found) => found.some(({ reason }) => reason === "Preempted"),
  ).then((found) => found.filter(({ reason }) => reason === "Preempted"));
  expect(told?.message).toBe(`Preempted by pod ${uid} on node node-1`);
  // The room is reserved: a less important Pod does not get it.
  await create("thief", { priorityClassName: "low" }, { cpu: "16" });
  const placed = await until(() => get("high"), scheduled);
  expect(placed.spec.nodeName).toBe("node-1");
  expect(scheduled(await get("thief"))).toBe(false);
  expect((await get("low")).metadata.deletionTimestamp).toBeUndefined();
});

test("a Pod whose class never preempts waits, and its message has the reason", async () => {
  const { until, create, get, eventsOf } = await startWithClasses(1);
  await create("plain", {}, { cpu: "32" });
  await until(() => get("plain"), scheduled);
  await create("polite", { priorityClassName: "polite" }, { cpu: "32" });
  const [told] = await until(
    () => eventsOf("polite"),
    (found) => found.length > 0,
  );
  expect(told?.message).toBe(
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  );
  expect((await get("plain")).metadata.deletionTimestamp).toBeUndefined();
});
