import { describe, expect, it } from "vitest";
import { aContainer, aPod, aSandbox, aView, init, now, ruled } from "./builders.suite.ts";
import { podStatus } from "./status.ts";
import type { PodView } from "./view.ts";

describe("podStatus", () => {
  const node = { hostIPs: ["192.0.2.1"], runtimeName: "native" };
  const phase = (view: PodView) => podStatus(view, node).phase;

  it.each<[string, PodView, string]>([
    ["Pending before anything runs", aView(aPod(), [aSandbox([])]), "Pending"],
    [
      "Pending while init containers run",
      aView(aPod(init), [aSandbox([aContainer("i1", "running")])]),
      "Pending",
    ],
    ["Running", aView(aPod(), [aSandbox([aContainer("a", "running")])]), "Running"],
    [
      "Succeeded",
      aView(aPod({ restartPolicy: "Never" }), [aSandbox([aContainer("a", "exited")])]),
      "Succeeded",
    ],
    [
      "Failed",
      aView(aPod({ restartPolicy: "Never" }), [aSandbox([aContainer("a", "exited", { exitCode: 3 })])]),
      "Failed",
    ],
    [
      "Failed by an init container",
      aView(aPod({ ...init, restartPolicy: "Never" }), [
        aSandbox([aContainer("i1", "exited", { exitCode: 3 })]),
      ]),
      "Failed",
    ],
    [
      "Running while it restarts",
      aView(aPod(), [aSandbox([aContainer("a", "exited", { exitCode: 1 })])]),
      "Running",
    ],
    [
      "Failed by a container whose own policy is Never",
      aView(aPod({ containers: [{ name: "a", restartPolicy: "Never" }] }), [
        aSandbox([aContainer("a", "exited", { exitCode: 3 })]),
      ]),
      "Failed",
    ],
    [
      "Running while a container restarts by a rule of its own",
      aView(aPod(ruled), [aSandbox([aContainer("a", "exited", { exitCode: 3 })])]),
      "Running",
    ],
    [
      "Failed for ever once it was",
      aView(aPod({}, {}, { phase: "Failed" }), [aSandbox([aContainer("a", "running")])]),
      "Failed",
    ],
  ])("is %s", (_name, view, expected) => {
    expect(phase(view)).toBe(expected);
  });

  it("fails an evicted Pod with the reason once nothing of it runs", () => {
    const evicted = { evicted: "too much" };
    const running = podStatus(aView(aPod(), [aSandbox([aContainer("a", "running")])], evicted), node);
    expect(running).toMatchObject({ phase: "Running" });
    expect(running.reason).toBeUndefined();
    const exited = aContainer("a", "exited", { exitCode: 137 });
    const ended = aView(aPod(), [aSandbox([exited], "notReady")], evicted);
    const status = podStatus(ended, node);
    expect(status).toMatchObject({ phase: "Failed", reason: "Evicted", message: "too much" });
    expect(status.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(137);
    // A restarted node agent that has forgotten the reason leaves the status unchanged.
    const later = podStatus({ ...ended, evicted: undefined, pod: { ...ended.pod, status } }, node);
    expect(later).toEqual(status);
  });

  it("shows a crash loop with the last state and upstream's words", () => {
    const restarts = { delayMs: 20_000, since: now };
    const view = aView(aPod(), [aSandbox([aContainer("a", "exited", { exitCode: 7, attempt: 3 })])], {
      work: new Map([["container/a", { state: "idle", restarts }]]),
    });
    expect(podStatus(view, node).containerStatuses?.[0]).toMatchObject({
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: "back-off 20s restarting failed container=a pod=p_ns(u1)",
        },
      },
      lastState: { terminated: { exitCode: 7, reason: "Error" } },
      restartCount: 3,
      ready: false,
    });
  });

  it("is ready when all containers are, and keeps the time of the last change", () => {
    const view = aView(aPod(), [aSandbox([aContainer("a", "running")])]);
    const status = podStatus(view, node);
    expect(status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
    const later = podStatus({ ...view, pod: { ...view.pod, status }, now: now + 60_000 }, node);
    expect(later).toEqual(status);
  });

  it("names the containers that are not ready", () => {
    const probes = new Map([["a-0", { started: true, ready: false }]]);
    const status = podStatus(aView(aPod(), [aSandbox([aContainer("a", "running")])], { probes }), node);
    expect(status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [a]",
    });
  });

  const conditionOf = (view: PodView, type: string) =>
    podStatus(view, node).conditions?.find((one) => one.type === type);
  const side = { initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "i" }] };
  const withSide = (results: object) =>
    aView(
      aPod(side),
      [aSandbox([aContainer("side", "running"), aContainer("i", "exited"), aContainer("a", "running")])],
      {
        probes: new Map([
          ["side-0", { started: true, ready: true, ...results }],
          ["a-0", { started: true, ready: true }],
        ]),
      },
    );

  it("is ready once its sidecars are, too", () => {
    expect(conditionOf(withSide({}), "Ready")).toMatchObject({ status: "True" });
    for (const type of ["Ready", "ContainersReady"])
      expect(conditionOf(withSide({ ready: false }), type)).toMatchObject({
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [side]",
      });
  });

  it.each<[string, readonly object[], string | undefined]>([
    [
      "all hold",
      [
        { type: "a/b", status: "True" },
        { type: "c/d", status: "True" },
      ],
      undefined,
    ],
    [
      "one is not there",
      [{ type: "a/b", status: "True" }],
      'corresponding condition of pod readiness gate "c/d" does not exist.',
    ],
    [
      "one is False and one is Unknown",
      [
        { type: "a/b", status: "False" },
        { type: "c/d", status: "Unknown" },
      ],
      'the status of pod readiness gate "a/b" is not "True", but False, the status of pod readiness gate "c/d" is not "True", but Unknown',
    ],
  ])("waits for its readiness gates, of which %s", (_, conditions, message) => {
    const readinessGates = [{ conditionType: "a/b" }, { conditionType: "c/d" }];
    const view = aView(aPod({ readinessGates }, {}, { conditions }), [
      aSandbox([aContainer("a", "running")]),
    ]);
    expect(conditionOf(view, "ContainersReady")).toMatchObject({ status: "True" });
    expect(conditionOf(view, "Ready")).toMatchObject(
      message === undefined
        ? { status: "True" }
        : { status: "False", reason: "ReadinessGatesNotReady", message },
    );
    // What others say of the Pod stays.
    expect(podStatus(view, node).conditions).toEqual(expect.arrayContaining([...conditions]));
  });

  it("moves the time of a condition only with its status", () => {
    const running = aView(aPod(), [aSandbox([aContainer("a", "running")])]);
    const status = podStatus(running, node);
    const later = { ...running, pod: { ...running.pod, status }, now: now + 60_000 };
    const unready = podStatus(
      { ...later, probes: new Map([["a-0", { started: true, ready: false }]]) },
      node,
    );
    const timeOf = (type: string) => unready.conditions?.find((one) => one.type === type)?.lastTransitionTime;
    expect(timeOf("Ready")).toBe("2026-01-01T00:01:00Z");
    expect(timeOf("PodScheduled")).toBe("2026-01-01T00:00:00Z");
  });

  it.each<[string, object, PodView["sandboxes"], string]>([
    ["no init container", {}, [aSandbox([])], "ContainerCreating"],
    ["init containers to come", init, [aSandbox([])], "PodInitializing"],
    [
      "all init containers done",
      init,
      [aSandbox([aContainer("i1", "exited"), aContainer("i2", "exited")])],
      "ContainerCreating",
    ],
  ])("says what a container waits for: with %s, %4$s", (_, spec, sandboxes, reason) => {
    const [status] = podStatus(aView(aPod(spec), sandboxes), node).containerStatuses ?? [];
    expect(status).toMatchObject({ state: { waiting: { reason } }, restartCount: 0, ready: false });
    expect(status).not.toHaveProperty("containerID");
  });

  it("shows the end that nobody saw of a container that is cleared away", () => {
    const known = { name: "a", restartCount: 2, ready: true, image: "i", imageID: "d", started: true };
    const pod = (state: object) =>
      aPod({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }, { containerStatuses: [{ ...known, state }] });
    const shown = (state: object) => podStatus(aView(pod(state), []), node).containerStatuses?.[0];
    expect(shown({ running: { startedAt: "2026-01-01T00:00:00Z" } })).toMatchObject({
      restartCount: 2,
      ready: false,
      started: false,
      state: { terminated: { exitCode: 137, reason: "ContainerStatusUnknown" } },
    });
    const ended = { terminated: { exitCode: 3, reason: "Error" } };
    expect(shown(ended)).toMatchObject({ restartCount: 2, state: ended });
  });

  it("has its sandbox's address, the node's on the host's network, and keeps the last one that it had", () => {
    const own = podStatus(aView(aPod(), [aSandbox([])]), node);
    expect(own).toMatchObject({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], hostIP: "192.0.2.1" });
    expect(podStatus(aView(aPod({ hostNetwork: true }), [aSandbox([])]), node).podIP).toBe("192.0.2.1");
    const stopped = aView(aPod({}, {}, { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] }), [
      { ...aSandbox([], "notReady"), ips: [] },
    ]);
    expect(podStatus(stopped, node)).toMatchObject({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] });
    expect(conditionOf(stopped, "PodReadyToStartContainers")?.status).toBe("False");
  });
});
