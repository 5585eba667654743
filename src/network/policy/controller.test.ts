import { afterEach, expect, test } from "vitest";
import { FakeApi } from "../../client/fake-api.suite.ts";
import { InProcessTransport } from "../../client/in-process.ts";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { aNamespace, aPod, aPolicy } from "./builders.suite.ts";
import { NetworkPolicyController } from "./controller.ts";
import type { Changes, Rules } from "./node-state.ts";

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

/** A controller with a backend that records the isolated Pods, and fails as often as set. */
async function start() {
  const api = new FakeApi("networkpolicies", "pods", "namespaces", "events");
  api.put("namespaces", aNamespace("default"));
  api.put("pods", aPod("a", "10.244.0.2", { labels: { app: "a" } }));
  api.put("pods", aPod("b", "10.244.0.3"));
  const clock = new VirtualClock();
  const synced: string[] = [];
  const errors: object[] = [];
  const faults = { left: 0 };
  const backend = {
    async sync(rules: Rules, changes: Changes) {
      if (faults.left-- > 0) throw new Error("no rules today");
      const isolated = [...rules.addresses].filter((one) => rules.pod(one)?.ingress !== undefined);
      synced.push(`${isolated.sort().join()} of ${[...changes.pods].sort().join()}`);
    },
  };
  const log = {
    ...silentLogger,
    error: (message: string, facts = {}) => void errors.push({ message, ...facts }),
  };
  const env = { clock, random: seededRandom(1), log };
  const transport = new InProcessTransport(api.handle, { name: "policies", groups: [] });
  const stop = new AbortController();
  const controller = new NetworkPolicyController({ env, transport, nodeName: "node-1", backend });
  const enforced = { is: false };
  void controller.whenEnforced().then(() => (enforced.is = true));
  const run = controller.run(stop.signal);
  const end = async () => {
    stop.abort();
    await run;
  };
  running.push(end);
  return { api, clock, synced, errors, faults, end, enforced };
}

const deny = aPolicy("deny", { podSelector: { matchLabels: { app: "a" } } });

test("the backend follows policies and Pods, until the end", async () => {
  const { api, clock, synced, end, enforced } = await start();
  expect(enforced.is).toBe(false);
  await clock.advance(100);
  expect(enforced.is).toBe(true);
  api.put("networkpolicies", deny);
  await clock.advance(100);
  api.put("pods", aPod("c", "10.244.0.4", { labels: { app: "a" } }));
  await clock.advance(100);
  api.remove("networkpolicies", "default", "deny");
  await clock.advance(100);
  api.remove("pods", "default", "c");
  await clock.advance(100);
  await end();
  expect(synced).toEqual([
    " of 10.244.0.2,10.244.0.3",
    "10.244.0.2 of 10.244.0.2",
    "10.244.0.2,10.244.0.4 of 10.244.0.4",
    " of 10.244.0.2,10.244.0.4",
    " of 10.244.0.4",
  ]);
});

test("simultaneous changes are carried out together", async () => {
  const { api, clock, synced } = await start();
  await clock.advance(100);
  api.put("networkpolicies", deny);
  for (let i = 4; i < 9; i++) api.put("pods", aPod(`pod-${i}`, `10.244.0.${i}`));
  await clock.advance(100);
  expect(synced).toHaveLength(2);
});

test("a failure of the backend is reported and retried, and does not hold up the start of Pods", async () => {
  const { clock, synced, errors, faults, enforced } = await start();
  faults.left = 1;
  await clock.advance(500);
  expect([synced, enforced.is]).toEqual([[], true]);
  expect(errors).toEqual([
    { message: "NetworkPolicies could not be brought up to date", error: "Error: no rules today" },
  ]);
  await clock.advance(1000);
  expect(synced).toHaveLength(1);
});

test("a policy beyond the limits gets an Event", async () => {
  const { api, clock } = await start();
  const from = Array.from({ length: 1001 }, () => ({ podSelector: {} }));
  api.put("networkpolicies", aPolicy("large", { ingress: [{ from }] }));
  await clock.advance(100);
  expect(api.objects("events")).toMatchObject([
    {
      reason: "NetworkPolicyTooLarge",
      type: "Warning",
      message:
        "Connections that the policy allows are refused: it has 1001 peers with selectors, more than 1000",
      involvedObject: { kind: "NetworkPolicy", name: "large" },
    },
  ]);
});
