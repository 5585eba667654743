import { describe, expect, test } from "vitest";
import { events, type Pod, pods, priorityClasses } from "../../src/api/index.ts";
import type { TestCluster } from "../../src/testing/index.ts";
import { ascending } from "../../src/util/compare.ts";
import { startWithExtender } from "./extender.suite.ts";

/** The request of a preemption, in either form. */
interface Request {
  readonly NodeNameToVictims: Readonly<Record<string, { readonly Pods: readonly Pod[] }>> | null;
  readonly NodeNameToMetaVictims: Readonly<Record<string, { readonly Pods: readonly object[] }>> | null;
}

/** The UIDs that the extender is asked about, by node. */
const victimsIn = ({ NodeNameToVictims: whole, NodeNameToMetaVictims: named }: Request) =>
  named ??
  Object.fromEntries(
    Object.entries(whole ?? {}).map(([node, { Pods }]) => [
      node,
      { Pods: Pods.map(({ metadata }) => ({ UID: metadata.uid })) },
    ]),
  );

/** Runs `use` beside an extender that decides about victims. */
async function withExtender(
  setting: string,
  answer: (body: Request) => object | undefined,
  use: (cluster: TestCluster) => Promise<void>,
): Promise<void> {
  const settings = ["preemptVerb: preempt", setting];
  // Safe: the scheduler sends no other requests.
  const { cluster, stop } = await startWithExtender(2, settings, (_, body) => answer(body as Request));
  try {
    await use(cluster);
  } finally {
    await stop();
  }
}

/** Fills both nodes, then asks for a Pod that fits on none. */
async function crowd({ client, waitFor }: Pick<TestCluster, "client" | "waitFor">) {
  await client.of(priorityClasses).create({ metadata: { name: "high" }, value: 1000 });
  const own = client.of(pods, "default");
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  const containers = [{ name: "main", image: "web:1", ports }];
  for (const name of ["low-1", "low-2"]) await own.create({ metadata: { name }, spec: { containers } });
  const placed = async () => (await own.list()).items.every(({ spec }) => spec.nodeName !== undefined);
  await waitFor(placed);
  await own.create({ metadata: { name: "high" }, spec: { containers, priorityClassName: "high" } });
  return own;
}

describe("an extender over HTTP chooses among the candidates of a preemption", () => {
  test.each(["nodeCacheCapable: true", "nodeCacheCapable: false"])("with %s", async (more) => {
    const seen: string[][] = [];
    const choose = (body: Request) => {
      const victims = victimsIn(body);
      seen.push(Object.keys(victims).toSorted());
      return { NodeNameToMetaVictims: { "node-2": victims["node-2"] } };
    };
    await withExtender(more, choose, async (cluster) => {
      const own = await crowd({ client: cluster.client, waitFor: (...args) => cluster.waitFor(...args) });
      await cluster.waitFor(async () => (await own.get("high")).spec.nodeName !== undefined);
      expect((await own.get("high")).spec.nodeName).toBe("node-2");
      expect(seen[0]).toEqual(["node-1", "node-2"]);
      const left = (await own.list()).items.map(({ spec }) => spec.nodeName ?? "");
      expect(left.toSorted(ascending)).toEqual(["node-1", "node-2"]);
    });
  });
});

test("while the extender fails nothing is preempted, and the Pod's event says why", async () => {
  await withExtender(
    "nodeCacheCapable: true",
    () => undefined,
    async (cluster) => {
      const own = await crowd({ client: cluster.client, waitFor: (...args) => cluster.waitFor(...args) });
      const failures = async () =>
        (await cluster.client.of(events, "default").list()).items.filter(
          ({ reason, involvedObject }) => reason === "FailedScheduling" && involvedObject.name === "high",
        );
      await cluster.waitFor(async () => (await failures()).length > 0);
      expect((await failures())[0]?.message).toMatch(/failed with extender at URL http:.*preempt, code 500$/);
      expect((await own.list()).items.length).toBe(3);
    },
  );
});
