import { afterEach, expect, test } from "vitest";
import { events } from "../../src/api/core/event/schema.ts";
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
  /** Waits, on virtual time, until what `probe` finds satisfies `done`. */
  const until = async <T>(probe: () => Promise<T>, done: (found: T) => boolean): Promise<T> => {
    for (let second = 0; second < 600; second++) {
      const found = await probe();
      if (done(found)) return found;
      await clock.advance(1000);
    }
    throw new Error("the condition did not come within ten minutes");
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
      message: "0/1 nodes are available: 1 node(s) were unschedulable.",
    },
  ]);
  expect(condition(await get("web"))).toMatchObject({
    status: "False",
    reason: "Unschedulable",
    message: "0/1 nodes are available: 1 node(s) were unschedulable.",
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
  expect(told?.message).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  await podsOf.delete("first");
  await until(() => get("second"), scheduled);
});

test("a gated Pod is not tried before its gates are removed", async () => {
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
