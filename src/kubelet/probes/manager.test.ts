import { beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aContainer, aPod, aSandbox } from "../pod/builders.suite.ts";
import type { SandboxStatus } from "../runtime.ts";
import { ProbeManager } from "./manager.ts";

let clock: VirtualClock;
let manager: ProbeManager;
/** The answers of probes by their command: why one fails, undefined where it succeeds. */
let answers: Record<string, string | undefined | Promise<string | undefined>>;
/** The probes that were made, as `seconds container command`. */
let made: string[];
let events: string[];
let changes: number;

beforeEach(() => {
  clock = new VirtualClock();
  const begin = clock.monotonic();
  answers = {};
  made = [];
  events = [];
  changes = 0;
  const node = nodeContext({
    env: { clock, random: seededRandom(1), log: silentLogger },
    addresses: { hostIPs: ["192.0.2.1"] },
    runtime: {
      check(id: string, { exec }: { exec?: { command?: readonly string[] } }) {
        const name = exec?.command?.[0] ?? "";
        made.push(`${(clock.monotonic() - begin) / 1000} ${id} ${name}`);
        return Promise.resolve(answers[name]);
      },
    },
    events: {
      event: ({ fieldPath }: { fieldPath: string }, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason} ${fieldPath}: ${message}`),
    },
  });
  manager = new ProbeManager(() => node);
});

const probe = (name: string, more: object = {}) => ({ exec: { command: [name] }, ...more });
const every = (seconds: number, more: object = {}) => ({ periodSeconds: seconds, ...more });

const podWith = (probes: object, metadata: object = {}) =>
  aPod({ containers: [{ name: "a", ...probes }] }, metadata);
const running = [aSandbox([aContainer("a", "running")])];

async function follow(pod: Pod, sandboxes: readonly SandboxStatus[] = running): Promise<void> {
  manager.follow(pod, sandboxes, () => changes++);
  await clock.advance(0);
}

const results = (id = "a-0") => manager.results("u1").get(id);

describe("the probes of a container", () => {
  test("are none: the container has started and is ready", async () => {
    await follow(podWith({}));
    expect(results()).toEqual({ started: true, ready: true });
    expect(made).toEqual([]);
  });

  test("take what the status has of this very container, and its next failures, after a restart of the node agent", async () => {
    const [startupProbe, readinessProbe] = [
      probe("start"),
      probe("ready", every(10, { failureThreshold: 2 })),
    ];
    const pod = podWith({ startupProbe, readinessProbe });
    const reported = (id: string): Pod => {
      const state = { running: {} };
      const own = { name: "a", image: "", imageID: "", restartCount: 0, lastState: {}, state };
      const containerStatuses = [{ ...own, containerID: `native://${id}`, started: true, ready: true }];
      return { ...pod, status: { ...pod.status, containerStatuses } };
    };
    answers["ready"] = "no";
    await follow(reported("a-0"));
    expect(results()).toEqual({ started: true, ready: true });
    await clock.advance(9000);
    expect(results()).toEqual({ started: true, ready: true });
    await clock.advance(2000);
    expect(results()).toEqual({ started: true, ready: false });
    expect(made.some((one) => one.endsWith("start"))).toBe(false);
    manager.forget("u1");
    answers["start"] = "no";
    await follow(reported("another"));
    expect(results()).toEqual({ started: false, ready: false });
  });

  test("begin after their delay, and come once in a period", async () => {
    const readinessProbe = probe("ready", every(10, { initialDelaySeconds: 5 }));
    await follow(podWith({ readinessProbe }));
    expect(results()).toEqual({ started: true, ready: false });
    await clock.advance(26_000);
    expect(made).toEqual(["5 a-0 ready", "15 a-0 ready", "25 a-0 ready"]);
    expect(results()).toMatchObject({ ready: true });
    expect(changes).toBe(1);
  });

  test("wait for the startup probe, which ends with its success", async () => {
    answers["start"] = "not yet";
    await follow(
      podWith({
        startupProbe: probe("start", every(1, { failureThreshold: 5 })),
        readinessProbe: probe("ready", every(10)),
        livenessProbe: probe("alive", every(10)),
      }),
    );
    await clock.advance(2500);
    expect(made).toEqual(["0 a-0 start", "1 a-0 start", "2 a-0 start"]);
    expect(results()).toMatchObject({ started: false, ready: false });
    delete answers["start"];
    await clock.advance(9000);
    expect(made.slice(3)).toEqual(["3 a-0 start", "3 a-0 ready", "3 a-0 alive"]);
    expect(results()).toMatchObject({ started: true, ready: true });
    const failure = "Warning Unhealthy spec.containers{a}: Startup probe failed: not yet";
    expect(events).toEqual([failure, failure, failure]);
  });

  test("restart a container that did not start or does not live, and are made no more of it", async () => {
    answers["alive"] = "dead";
    await follow(
      podWith({
        readinessProbe: probe("ready", every(10)),
        livenessProbe: probe("alive", every(1, { failureThreshold: 2 })),
      }),
    );
    await clock.advance(5000);
    expect(results()).toMatchObject({ failed: "failed liveness probe" });
    expect(made.filter((one) => one.endsWith("alive"))).toEqual(["0 a-0 alive", "1 a-0 alive"]);
    answers["start"] = "no";
    await follow(podWith({ startupProbe: probe("start", every(1, { failureThreshold: 1 })) }), [
      aSandbox([aContainer("a", "running", { attempt: 1 })]),
    ]);
    await clock.advance(3000);
    expect(results("a-1")).toMatchObject({ failed: "failed startup probe", started: false });
    expect(made.filter((one) => one.endsWith("start"))).toHaveLength(1);
  });

  test("fail when no answer comes in time", async () => {
    answers["ready"] = new Promise(() => {});
    const readinessProbe = probe("ready", every(10, { timeoutSeconds: 3, failureThreshold: 1 }));
    await follow(podWith({ readinessProbe }));
    await clock.advance(2999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toEqual([
      "Warning Unhealthy spec.containers{a}: Readiness probe failed: the simulated container did not answer in time",
    ]);
  });
});

describe("the probes of a Pod", () => {
  const probes = {
    readinessProbe: probe("ready", every(1, { failureThreshold: 1 })),
    livenessProbe: probe("alive", every(1, { failureThreshold: 1 })),
  };

  test("show while it terminates whether it still serves, and restart nothing", async () => {
    await follow(podWith(probes));
    await clock.advance(500);
    expect(results()).toEqual({ started: true, ready: true });
    answers = { ready: "draining", alive: "dead" };
    await follow(podWith(probes, { deletionTimestamp: "2026-01-01T00:00:30Z" }));
    await clock.advance(3000);
    expect(results()).toEqual({ started: true, ready: false });
    expect(made.filter((one) => one.endsWith("alive"))).toEqual(["0 a-0 alive"]);
    expect(made.filter((one) => one.endsWith("ready")).length).toBeGreaterThan(2);
  });

  test("begin anew with each run of a container, and end with it", async () => {
    await follow(podWith(probes));
    await follow(podWith(probes), [aSandbox([aContainer("a", "exited")])]);
    made.length = 0;
    await clock.advance(5000);
    expect([made, results()]).toEqual([[], undefined]);
    await follow(podWith(probes), [
      aSandbox([aContainer("a", "exited"), aContainer("a", "running", { attempt: 1 })]),
    ]);
    expect(made).toEqual(["5 a-1 ready", "5 a-1 alive"]);
    manager.forget("u1");
    await clock.advance(5000);
    expect(made).toHaveLength(2);
    expect(manager.results("u1").size).toBe(0);
  });

  test("are those of sidecars and main containers, not of other init containers", async () => {
    const livenessProbe = probe("alive");
    const pod = aPod({
      initContainers: [
        { name: "side", restartPolicy: "Always", livenessProbe },
        { name: "i", livenessProbe },
      ],
      containers: [{ name: "a", livenessProbe }],
    });
    await follow(pod, [
      aSandbox([aContainer("side", "running"), aContainer("i", "running"), aContainer("a", "running")]),
    ]);
    expect(made).toEqual(["0 side-0 alive", "0 a-0 alive"]);
  });

  test("follow the Pod as it is now, and begin once however often it is followed", async () => {
    for (let time = 0; time < 3; time++) await follow(podWith(probes));
    expect(made).toEqual(["0 a-0 ready", "0 a-0 alive"]);
    manager.close();
    await clock.advance(5000);
    expect(made).toHaveLength(2);
  });
});
