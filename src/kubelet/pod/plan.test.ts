import { describe, expect, it } from "vitest";
import {
  aContainer,
  aPod,
  aSandbox,
  aView,
  deleted,
  evicted,
  failed,
  init,
  now,
  ruled,
  sidecar,
  work,
} from "./builders.suite.ts";
import { type Action, isStarting, planPod } from "./plan.ts";
import type { PodView } from "./view.ts";

const brief = (action: Action): string => {
  switch (action.type) {
    case "startContainer":
      return `start ${action.container.name} ${action.attempt}`;
    case "createSandbox":
      return `sandbox ${action.attempt}`;
    case "stopContainer":
      return `stop ${action.id} ${action.graceMs}`;
    case "finishDeletion":
      return "finish";
    case "removeVolumes":
      return "removeVolumes";
    case "resize":
      return "resize";
    default:
      return `${action.type} ${action.id}`;
  }
};
const plan = (view: PodView) => planPod(view).actions.map(brief);
const lateSidecar = {
  initContainers: [{ name: "i1" }, { name: "side", restartPolicy: "Always" }, { name: "i3" }],
};
const patientProbes = {
  livenessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 },
  startupProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 7 },
};
const never = aPod({ restartPolicy: "Never" });

describe("planPod", () => {
  it.each<[string, PodView, string[]]>([
    ["makes a sandbox first", aView(aPod(), []), ["sandbox 0"]],
    ["makes it once", aView(aPod(), [], { work: work("sandbox", "starting") }), []],
    [
      "starts all containers in it",
      aView(aPod({ containers: [{ name: "a" }, { name: "b" }] }), [aSandbox([])]),
      ["start a 0", "start b 0"],
    ],
    ["does nothing with a running container", aView(aPod(), [aSandbox([aContainer("a", "running")])]), []],
    [
      "does not start a container that is being started",
      aView(aPod(), [aSandbox([])], { work: work("container/a", "starting") }),
      [],
    ],
    [
      "restarts a container that has exited",
      aView(aPod(), [aSandbox([aContainer("a", "exited")])]),
      ["start a 1"],
    ],
    [
      "does not restart under Never",
      aView(aPod({ restartPolicy: "Never" }), [aSandbox([aContainer("a", "exited")])]),
      [],
    ],
    [
      "restarts a failure under OnFailure",
      aView(aPod({ restartPolicy: "OnFailure" }), [aSandbox([aContainer("a", "exited", { exitCode: 1 })])]),
      ["start a 1"],
    ],
    [
      "keeps a success under OnFailure",
      aView(aPod({ restartPolicy: "OnFailure" }), [aSandbox([aContainer("a", "exited")])]),
      [],
    ],
    [
      "restarts a failure under Never by a rule of the container's own",
      aView(aPod(ruled), [aSandbox([aContainer("a", "exited", { exitCode: 3 })])]),
      ["start a 1"],
    ],
    ["runs init containers one by one", aView(aPod(init), [aSandbox([])]), ["start i1 0"]],
    [
      "runs the next once one has succeeded",
      aView(aPod(init), [aSandbox([aContainer("i1", "exited")])]),
      ["start i2 0"],
    ],
    [
      "runs the main ones after all of them",
      aView(aPod(init), [aSandbox([aContainer("i1", "exited"), aContainer("i2", "exited")])]),
      ["start a 0"],
    ],
    [
      "repeats an init container that failed",
      aView(aPod(init), [aSandbox([aContainer("i1", "exited", { exitCode: 1 })])]),
      ["start i1 1"],
    ],
    [
      "continues once a sidecar has started",
      aView(aPod(sidecar), [aSandbox([aContainer("side", "running")])]),
      ["start i2 0"],
    ],
    [
      "creates a new sandbox when the old one is gone",
      aView(aPod(), [aSandbox([aContainer("a", "exited")], "notReady")]),
      ["sandbox 1"],
    ],
    [
      "makes none for a Pod that has done its work",
      aView(aPod({ restartPolicy: "Never" }), [aSandbox([aContainer("a", "exited")], "notReady")]),
      [],
    ],
    [
      "stops a container that failed its liveness probe",
      aView(aPod(), [aSandbox([aContainer("a", "running")])], {
        probes: new Map([["a-0", { started: true, ready: false, failed: "failed liveness probe" }]]),
      }),
      ["stop a-0 30000"],
    ],
    ...(["failed liveness probe", "failed startup probe"] as const).map(
      (failed, index): [string, PodView, string[]] => [
        `gives a container that ${failed} that probe's grace period`,
        aView(
          aPod({ containers: [{ name: "a", ...patientProbes }] }),
          [aSandbox([aContainer("a", "running")])],
          {
            probes: new Map([["a-0", { started: true, ready: false, failed }]]),
          },
        ),
        [`stop a-0 ${5000 + index * 2000}`],
      ],
    ),
    [
      "forgets the dead beyond the newest",
      aView(aPod(), [
        aSandbox([
          aContainer("a", "exited"),
          aContainer("a", "exited", { attempt: 1 }),
          aContainer("a", "running", { attempt: 2 }),
        ]),
      ]),
      ["removeContainer a-0"],
    ],
    [
      "stops the containers of a deleted Pod",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "running")])]),
      ["stop a-0 5000"],
    ],
    [
      "stops them once",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "running")])], {
        work: work("container/a", "stopping"),
      }),
      [],
    ],
    [
      "stops sidecars last",
      aView(aPod(sidecar, deleted), [aSandbox([aContainer("side", "running"), aContainer("a", "running")])]),
      ["stop a-0 5000"],
    ],
    [
      "stops the sandbox after them",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "exited")])]),
      ["stopSandbox s0"],
    ],
    [
      "stops the sandbox once",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "exited")])], {
        work: work("sandbox/s0", "stopping"),
      }),
      [],
    ],
    [
      "removes it after that",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "exited")], "notReady")]),
      ["removeSandbox s0"],
    ],
    ["finishes the Pod's deletion last", aView(aPod({}, deleted), []), ["finish"]],
    [
      "does nothing more while finalizers keep the Pod",
      aView(aPod({}, { ...deleted, deletionGracePeriodSeconds: 0 }), []),
      [],
    ],
    [
      "starts nothing while a stop is in progress",
      aView(aPod(), [aSandbox([aContainer("a", "exited")])], { work: work("container/a", "stopping") }),
      [],
    ],
    [
      "distinguishes containers from other subjects of the same name",
      aView(aPod({ containers: [{ name: "sandbox" }] }), [], { work: work("container/sandbox", "starting") }),
      ["sandbox 0"],
    ],
    [
      "waits for work in progress before that",
      aView(aPod({}, deleted), [], { work: work("container/a", "starting") }),
      [],
    ],
    [
      "stops the sandbox of a Pod that has failed, and keeps the Pod",
      aView(aPod({}, {}, { phase: "Failed" }), [aSandbox([aContainer("a", "exited")], "notReady")]),
      [],
    ],
  ])("%s", (_name, view, actions) => {
    expect(plan(view)).toEqual(actions);
  });

  it.each<[string, PodView, string[]]>([
    [
      "stops an evicted Pod's containers within a second",
      aView(aPod(), [aSandbox([aContainer("a", "running")])], { end: evicted }),
      ["stop a-0 1000"],
    ],
    [
      "keeps to that second when the Pod is deleted meanwhile",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "running")])], { end: evicted }),
      ["stop a-0 1000"],
    ],
    ["starts nothing of an evicted Pod", aView(aPod(), [], { end: evicted }), ["removeVolumes"]],
    [
      "stops an evicted Pod's sandbox next",
      aView(aPod(), [aSandbox([aContainer("a", "exited")])], { end: evicted }),
      ["stopSandbox s0"],
    ],
    [
      "removes an evicted Pod's volumes, even when its status is already written",
      aView(aPod({}, {}, { phase: "Failed" }), [aSandbox([aContainer("a", "exited")], "notReady")], {
        end: evicted,
      }),
      ["removeVolumes"],
    ],
    ["does so once", aView(aPod(), [aSandbox([], "notReady")], { end: evicted, cleared: true }), []],
  ])("%s", (_name, view, expected) => {
    expect(plan(view)).toEqual(expected);
  });

  it.each<[string, PodView, string[]]>([
    [
      "stops an older sandbox in which something runs, and works in the new one",
      aView(aPod(), [aSandbox([aContainer("a", "running")], "notReady"), aSandbox([], "ready", 1)]),
      ["stopSandbox s0"],
    ],
    [
      "stops such a sandbox once",
      aView(aPod(), [aSandbox([aContainer("a", "running")], "notReady"), aSandbox([], "ready", 1)], {
        work: work("sandbox/s0", "stopping"),
      }),
      [],
    ],
    [
      "leaves an older sandbox alone in which nothing runs",
      aView(aPod(), [
        aSandbox([aContainer("a", "exited"), aContainer("b", "created")], "notReady"),
        aSandbox([aContainer("a", "running", { attempt: 1 })], "ready", 1),
      ]),
      [],
    ],
    [
      "stops a sandbox that is not ready while one of its containers still runs, and makes another",
      aView(aPod({ containers: [{ name: "a" }, { name: "b" }] }), [
        aSandbox([aContainer("a", "running"), aContainer("b", "exited")], "notReady"),
      ]),
      ["stopSandbox s0", "sandbox 1"],
    ],
    [
      "makes a new sandbox for one container of several",
      aView(aPod({ restartPolicy: "OnFailure", containers: [{ name: "a" }, { name: "b" }] }), [
        aSandbox([aContainer("a", "exited"), aContainer("b", "exited", { exitCode: 1 })], "notReady"),
      ]),
      ["sandbox 1"],
    ],
    [
      "makes a new sandbox for a container that has never started",
      aView(aPod({ restartPolicy: "Never", containers: [{ name: "a" }, { name: "b" }] }), [
        aSandbox([aContainer("a", "exited")], "notReady"),
      ]),
      ["sandbox 1"],
    ],
    [
      "counts a new sandbox from the last one",
      aView(aPod(), [aSandbox([], "notReady", 3), aSandbox([], "notReady", 4)]),
      ["sandbox 5"],
    ],
    ["leaves a created container to its start", aView(aPod(), [aSandbox([aContainer("a", "created")])]), []],
    [
      "restarts the newest incarnation, in any order of the runtime's list",
      aView(aPod(), [
        aSandbox([aContainer("a", "exited", { attempt: 1 }), aContainer("a", "exited")]),
        aSandbox([], "ready", 1),
      ]),
      ["start a 2"],
    ],
    [
      "takes the younger of two incarnations with one number",
      aView(aPod({ restartPolicy: "OnFailure" }), [
        aSandbox([
          aContainer("a", "exited", { createdAt: now }),
          aContainer("a", "exited", { createdAt: now - 1, exitCode: 1 }),
        ]),
      ]),
      [],
    ],
    [
      "repeats no init container once a main container was made",
      aView(aPod({ ...init, restartPolicy: "OnFailure" }), [
        aSandbox([aContainer("i1", "exited", { exitCode: 1 }), aContainer("a", "running")]),
      ]),
      [],
    ],
    [
      "starts a Pod's main containers though one of them was made before",
      aView(aPod({ ...init, containers: [{ name: "a" }, { name: "b" }] }), [
        aSandbox([aContainer("a", "running")]),
      ]),
      ["start b 0"],
    ],
    [
      "starts ephemeral containers before the init containers are done",
      aView(aPod({ ...init, ephemeralContainers: [{ name: "debug" }] }), [aSandbox([])]),
      ["start i1 0", "start debug 0"],
    ],
    [
      "repeats no ephemeral container",
      aView(aPod({ ephemeralContainers: [{ name: "debug" }] }), [
        aSandbox([aContainer("a", "running"), aContainer("debug", "exited", { exitCode: 1 })]),
      ]),
      [],
    ],
    ["starts no sidecar before its turn", aView(aPod(lateSidecar), [aSandbox([])]), ["start i1 0"]],
    [
      "starts a sidecar in its turn, and nothing after it",
      aView(aPod(lateSidecar), [aSandbox([aContainer("i1", "exited")])]),
      ["start side 0"],
    ],
    [
      "waits until a sidecar's startup probe has passed",
      aView(aPod(lateSidecar), [aSandbox([aContainer("i1", "exited"), aContainer("side", "running")])], {
        probes: new Map([["side-0", { started: false, ready: false }]]),
      }),
      [],
    ],
    [
      "waits for a sidecar that is not probed yet",
      aView(aPod(lateSidecar), [aSandbox([aContainer("i1", "exited"), aContainer("side", "running")])], {
        probes: new Map(),
      }),
      [],
    ],
    [
      "restarts a sidecar while a later init container runs",
      aView(aPod(sidecar), [aSandbox([aContainer("side", "exited"), aContainer("i2", "running")])]),
      ["start side 1"],
    ],
    [
      "restarts a sidecar beside the main containers, under any policy of the Pod",
      aView(aPod({ ...sidecar, restartPolicy: "Never" }), [
        aSandbox([aContainer("side", "exited"), aContainer("i2", "exited"), aContainer("a", "running")]),
      ]),
      ["start side 1"],
    ],
  ])("%s", (_name, view, expected) => {
    expect(plan(view)).toEqual(expected);
  });

  const dying = (more: Partial<PodView> = {}, container: object = {}) =>
    aView(aPod({ containers: [{ name: "a", ...container }] }), [aSandbox([aContainer("a", "running")])], {
      probes: new Map([["a-0", { started: true, ready: false, failed: "failed liveness probe" }]]),
      ...more,
    });
  const grace = { livenessProbe: { terminationGracePeriodSeconds: 3 } };
  it.each<[string, PodView, string[]]>([
    ["stops once what failed its liveness probe", dying({ work: work("container/a", "stopping") }), []],
    ["stops it once though it is being started too", dying({ work: work("container/a", "aborting") }), []],
    [
      "stops it though it is being started again",
      dying({ work: work("container/a", "starting") }),
      ["stop a-0 30000"],
    ],
    ["gives it the grace period of its probe", dying({}, grace), ["stop a-0 3000"]],
    [
      "stops a sidecar that failed its liveness probe",
      aView(aPod(sidecar), [aSandbox([aContainer("side", "running"), aContainer("i2", "running")])], {
        probes: new Map([["side-0", { started: true, ready: false, failed: "failed liveness probe" }]]),
      }),
      ["stop side-0 30000"],
    ],
    [
      "stops nothing for a probe of what has ended",
      aView(aPod({ restartPolicy: "Never" }), [aSandbox([aContainer("a", "exited")])], {
        probes: new Map([["a-0", { started: true, ready: false, failed: "failed liveness probe" }]]),
      }),
      [],
    ],
  ])("%s", (_name, view, expected) => {
    expect(plan(view)).toEqual(expected);
  });

  it("names the container to stop, and the reason", () => {
    const view = dying();
    expect(planPod(view).actions).toEqual([
      {
        type: "stopContainer",
        id: "a-0",
        name: "a",
        container: view.pod.spec.containers[0],
        graceMs: 30_000,
        why: "Container a failed liveness probe, will be restarted",
      },
    ]);
    const ending = aView(aPod({ containers: [{ name: "b" }, { name: "a" }] }, deleted), [
      aSandbox([aContainer("a", "running")]),
    ]);
    expect(planPod(ending).actions).toEqual([
      {
        type: "stopContainer",
        id: "a-0",
        name: "a",
        container: ending.pod.spec.containers[1],
        graceMs: 5000,
        why: "",
      },
    ]);
  });

  it("stops what runs under a name that the Pod does not have", () => {
    const view = aView(aPod({}, deleted), [aSandbox([aContainer("old", "running")])]);
    expect(planPod(view).actions).toMatchObject([{ id: "old-0", container: undefined }]);
  });

  const dead = (...attempts: readonly number[]) =>
    attempts.map((attempt) => aContainer("a", "exited", { attempt }));
  it.each<[string, PodView, string[]]>([
    ["keeps the newest two of exited incarnations", aView(never, [aSandbox(dead(0, 1))]), []],
    [
      "removes the older incarnations",
      aView(never, [aSandbox(dead(0, 1, 2, 3))]),
      ["removeContainer a-0", "removeContainer a-1"],
    ],
    [
      "keeps the newest exited incarnation beside a running one",
      aView(never, [aSandbox([...dead(0, 1), aContainer("a", "running", { attempt: 2 })])]),
      ["removeContainer a-0"],
    ],
    [
      "removes each once",
      aView(never, [aSandbox(dead(0, 1, 2, 3))], { work: work("remains/a-0", "starting") }),
      ["removeContainer a-1"],
    ],
    [
      "removes the incarnations of an older sandbox too",
      aView(never, [aSandbox(dead(0, 1), "notReady"), aSandbox(dead(2, 3), "ready", 1)]),
      ["removeContainer a-0", "removeContainer a-1"],
    ],
  ])("%s", (_name, view, expected) => {
    expect(plan(view)).toEqual(expected);
  });

  const sidecars = {
    initContainers: [{ name: "i1" }, ...["s1", "s2"].map((name) => ({ name, restartPolicy: "Always" }))],
  };
  const ending = (spec: object, ...names: readonly string[]) =>
    aView(aPod(spec, deleted), [aSandbox(names.map((name) => aContainer(name, "running")))]);
  it.each<[string, PodView, string[]]>([
    [
      "main containers together",
      ending({ containers: [{ name: "a" }, { name: "b" }] }, "a", "b"),
      ["stop a-0 5000", "stop b-0 5000"],
    ],
    [
      "main, init and ephemeral containers before sidecars",
      ending(sidecars, "s1", "i1", "a", "debug"),
      ["stop i1-0 5000", "stop a-0 5000", "stop debug-0 5000"],
    ],
    ["the last sidecar first", ending(sidecars, "s1", "s2"), ["stop s2-0 5000"]],
    ["the first sidecar last", ending(sidecars, "s1"), ["stop s1-0 5000"]],
    [
      "sidecars when the main containers have ended for good",
      aView(aPod({ ...sidecars, restartPolicy: "OnFailure" }), [
        aSandbox([
          aContainer("s1", "running"),
          aContainer("s2", "running"),
          aContainer("i1", "exited"),
          aContainer("a", "exited"),
        ]),
      ]),
      ["stop s2-0 30000"],
    ],
    [
      "none of them while a main container will start again",
      aView(aPod({ ...sidecars, restartPolicy: "OnFailure", containers: [{ name: "a" }, { name: "b" }] }), [
        aSandbox([
          aContainer("s1", "running"),
          aContainer("s2", "running"),
          aContainer("i1", "exited"),
          aContainer("a", "exited"),
          aContainer("b", "exited", { exitCode: 1 }),
        ]),
      ]),
      ["start b 1"],
    ],
    [
      "nothing of a finished Pod before its status is written, and no sidecar starts again",
      aView(aPod({ ...sidecars, restartPolicy: "Never" }), [
        aSandbox([
          aContainer("s1", "exited"),
          aContainer("s2", "exited"),
          aContainer("i1", "exited"),
          aContainer("a", "exited"),
        ]),
      ]),
      [],
    ],
  ])("ends a Pod in order: %s", (_name, view, expected) => {
    expect(plan(view)).toEqual(expected);
  });

  it.each<[string, object, object, object, number]>([
    ["of the deletion, less what has passed", {}, deleted, {}, 5000],
    [
      "of the deletion, though the clock is behind",
      {},
      { ...deleted, deletionGracePeriodSeconds: 2 },
      {},
      2000,
    ],
    [
      "of nothing, when the time has come",
      {},
      { deletionTimestamp: new Date(now - 1000).toISOString(), deletionGracePeriodSeconds: 5 },
      {},
      0,
    ],
    ["of the Pod, without a deletion", { terminationGracePeriodSeconds: 7 }, {}, { phase: "Failed" }, 7000],
    ["of 30 seconds, without anything", {}, {}, { phase: "Succeeded" }, 30_000],
  ])("ends a container within the grace period %s", (_name, spec, metadata, status, ms) => {
    const view = aView(aPod(spec, metadata, status), [aSandbox([aContainer("a", "running")])]);
    expect(plan(view)).toEqual([`stop a-0 ${ms}`]);
  });

  it("removes all sandboxes of a deleted Pod, and stops all that are ready before", () => {
    const both = (state: "ready" | "notReady") =>
      aView(aPod({}, deleted), [aSandbox([], state), aSandbox([], state, 1)]);
    expect(plan(both("ready"))).toEqual(["stopSandbox s0", "stopSandbox s1"]);
    expect(plan(both("notReady"))).toEqual(["removeSandbox s0", "removeSandbox s1"]);
  });

  it("waits before it creates a sandbox again, and returns the remaining time", () => {
    const work = failed("sandbox", { delayMs: 10_000, since: now - 4000 });
    expect(planPod(aView(aPod(), [], { work }))).toEqual({ actions: [], againMs: 6000 });
    expect(planPod(aView(aPod(), [], { work, now: now + 6000 }))).toEqual({
      actions: [{ type: "createSandbox", attempt: 0 }],
      againMs: undefined,
    });
  });

  it("looks again when the first of several back-offs has passed", () => {
    const spec = { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] };
    const work = new Map([
      ...failed("container/a", { delayMs: 10_000, since: now - 1000 }),
      ...failed("container/b", { delayMs: 10_000, since: now - 4000 }),
    ]);
    const view = aView(aPod(spec), [aSandbox([])], { work });
    expect(plan(view)).toEqual(["start c 0"]);
    expect(planPod(view).againMs).toBe(6000);
    const idle = aView(aPod(), [aSandbox([aContainer("a", "running")])]);
    expect(planPod(idle).againMs).toBeUndefined();
  });

  it("resets the back-off of restarts after ten minutes", () => {
    const since = now - 600_001;
    const restarts = { delayMs: 300_000, since };
    const retry = { delayMs: 10_000, since: now - 4000 };
    const trouble = { failure: { reason: "R", message: "m" }, retry };
    const sandboxes = [aSandbox([aContainer("a", "exited", { finishedAt: now })])];
    const afterRestarts: PodView["work"] = new Map([["container/a", { state: "idle", restarts }]]);
    expect(plan(aView(aPod(), sandboxes, { work: afterRestarts }))).toEqual(["start a 1"]);
    const afterFailure: PodView["work"] = new Map([["container/a", { state: "idle", restarts, trouble }]]);
    expect(planPod(aView(aPod(), sandboxes, { work: afterFailure })).againMs).toBe(6000);
  });

  it("waits for the back-off, and returns the remaining time", () => {
    const work = failed("container/a", { delayMs: 10_000, since: now - 4000 });
    const view = aView(aPod(), [aSandbox([])], { work });
    expect(planPod(view)).toEqual({ actions: [], againMs: 6000 });
  });

  it("counts the back-off of a restart from the exit", () => {
    const exited = aContainer("a", "exited", { exitCode: 1, finishedAt: now - 1000 });
    const restarts = { delayMs: 10_000, since: now - 30_000 };
    const work: PodView["work"] = new Map([["container/a", { state: "idle", restarts }]]);
    expect(planPod(aView(aPod(), [aSandbox([exited])], { work }))).toEqual({ actions: [], againMs: 9000 });
  });

  it("waits before it retries a Pod's deletion", () => {
    const work = failed("deletion", { delayMs: 10_000, since: now - 4000 });
    const view = aView(aPod({}, deleted), [], { work });
    expect(planPod(view)).toEqual({ actions: [], againMs: 6000 });
  });
});

describe("isStarting", () => {
  const two = aPod({ containers: [{ name: "a" }, { name: "b" }] });
  const running = aContainer("a", "running");
  const later = { delayMs: 10_000, since: now };
  it.each<[string, PodView, boolean]>([
    ["the sandbox is to be made", aView(two, []), true],
    ["the sandbox is being made", aView(two, [], { work: work("sandbox", "starting") }), true],
    ["the containers are to be started", aView(two, [aSandbox([])]), true],
    ["one container runs, and another starts", aView(two, [aSandbox([running])]), true],
    ["everything runs", aView(aPod(), [aSandbox([running])]), false],
    ["a start has failed", aView(two, [aSandbox([])], { work: failed("container/a", later) }), false],
    ["a container has ended", aView(two, [aSandbox([aContainer("a", "exited")])]), false],
    ["the Pod is terminating", aView(aPod({}, deleted), [], { work: work("sandbox", "starting") }), false],
  ])("%s", (_, view, expected) => {
    expect(isStarting(view, planPod(view).actions)).toBe(expected);
  });
});
