import { describe, expect, test } from "vitest";
import { type Lease, leases } from "../api/coordination/lease/schema.ts";
import { failure } from "../meta/status.ts";
import { silentLogger } from "../util/logger.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { Client } from "./client.ts";
import { ConnectionError } from "./errors.ts";
import { FakeApi } from "./fake-api.suite.ts";
import { InProcessTransport } from "./in-process.ts";
import { runAsLeader } from "./leader-election.ts";

function setUp() {
  const api = new FakeApi("leases");
  const clock = new VirtualClock();
  const log: string[] = [];
  const leading = new Set<string>();
  const cut = new Set<string>();
  const deaf = new Set<string>();
  const candidate = (identity: string) => {
    const transport = new InProcessTransport(
      (request) => {
        if (deaf.has(identity)) return new Promise(() => {});
        return cut.has(identity)
          ? Promise.reject(new ConnectionError("connect", "cut"))
          : api.handle(request);
      },
      { name: identity, groups: [] },
    );
    const stop = new AbortController();
    const options = {
      client: new Client(transport),
      env: { clock, random: seededRandom(identity.length), log: silentLogger },
      namespace: "kube-system",
      name: "manager",
      identity,
    };
    const run = runAsLeader(options, stop.signal, async (signal) => {
      log.push(`${identity} leads`);
      leading.add(identity);
      expect(leading.size).toBe(1);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      leading.delete(identity);
      log.push(`${identity} ends`);
    });
    return { stop: () => (stop.abort(), run), run };
  };
  const lease = () => api.objects("leases")[0] as Lease | undefined;
  return { api, clock, log, cut, deaf, candidate, lease };
}

describe("leader election", () => {
  test("the first candidate leads and keeps renewing; another waits", async () => {
    const { clock, log, candidate, lease } = setUp();
    const one = candidate("one");
    await clock.settle();
    const two = candidate("two");
    await clock.advance(120_000);
    expect(log).toEqual(["one leads"]);
    expect(lease()?.spec).toMatchObject({
      holderIdentity: "one",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    expect(Date.parse(lease()?.spec.renewTime ?? "")).toBeGreaterThan(clock.now() - 2_500);
    await two.stop();
    await one.stop();
  });

  test("a leader that ends releases the lease, so that the next one need not wait for its expiry", async () => {
    const { clock, log, candidate, lease } = setUp();
    const one = candidate("one");
    await clock.settle();
    const two = candidate("two");
    await clock.advance(5_000);
    await one.stop();
    expect(lease()?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    await clock.advance(5_000);
    expect(log).toEqual(["one leads", "one ends", "two leads"]);
    expect(lease()?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
    await two.stop();
  });

  test("a disconnected leader steps down before another takes over", async () => {
    const { clock, log, cut, candidate } = setUp();
    const one = candidate("one");
    await clock.settle();
    const two = candidate("two");
    await clock.advance(5_000);
    cut.add("one");
    await clock.advance(10_100);
    expect(log).toEqual(["one leads", "one ends"]);
    await one.run;
    await clock.advance(15_000);
    expect(log).toEqual(["one leads", "one ends", "two leads"]);
    await two.stop();
  });

  test("a leader whose requests hang steps down before another takes over", async () => {
    const { clock, log, deaf, candidate } = setUp();
    const one = candidate("one");
    await clock.settle();
    const two = candidate("two");
    await clock.advance(5_000);
    deaf.add("one");
    await clock.advance(10_100);
    expect(log).toEqual(["one leads", "one ends"]);
    await clock.advance(15_000);
    expect(log).toEqual(["one leads", "one ends", "two leads"]);
    await one.run;
    await two.stop();
  });

  test("a short failure does not cost the leader its lease", async () => {
    const { api, clock, log, candidate } = setUp();
    const one = candidate("one");
    await clock.settle();
    api.failures.push(failure(500, "InternalError", "oops"), failure(503, "ServiceUnavailable", "oops"));
    await clock.advance(60_000);
    expect(log).toEqual(["one leads"]);
    await one.stop();
  });

  test("an error of the work ends the leadership and is thrown to the caller", async () => {
    const { api, clock } = setUp();
    const client = new Client(new InProcessTransport(api.handle, { name: "one", groups: [] }));
    const options = {
      client,
      env: { clock, random: seededRandom(1), log: silentLogger },
      namespace: "kube-system",
      name: "manager",
      identity: "one",
    };
    const run = expect(
      runAsLeader(options, new AbortController().signal, () => Promise.reject(new Error("broken"))),
    ).rejects.toThrow("broken");
    await clock.advance(20_000);
    await run;
    expect((await client.of(leases, "kube-system").get("manager")).spec.holderIdentity).toBe("");
  });
});
