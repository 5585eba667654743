import { describe, expect, it } from "vitest";
import { type Action, planPod } from "./plan.ts";
import { aContainer, aPod, aSandbox, aView, deleted, init, now, ruled } from "./builders.suite.ts";
import type { PodView } from "./view.ts";
import type { Backoff, Subject, Work, WorkState } from "./work-machine.ts";

const failed = (subject: Subject, retry: Backoff): ReadonlyMap<Subject, Work> =>
  new Map([[subject, { state: "idle", trouble: { failure: { reason: "R", message: "m" }, retry } }]]);
const work = (subject: Subject, state: WorkState): PodView["work"] => new Map([[subject, { state }]]);
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
    default:
      return `${action.type} ${action.id}`;
  }
};
const plan = (view: PodView) => planPod(view).actions.map(brief);
const sidecar = { initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "i2" }] };

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
      aView(aPod(), [aSandbox([aContainer("a", "running")])], { evicted: "why" }),
      ["stop a-0 1000"],
    ],
    [
      "keeps to that second when the Pod is deleted meanwhile",
      aView(aPod({}, deleted), [aSandbox([aContainer("a", "running")])], { evicted: "why" }),
      ["stop a-0 1000"],
    ],
    ["starts nothing of an evicted Pod", aView(aPod(), [], { evicted: "why" }), ["removeVolumes"]],
    [
      "stops an evicted Pod's sandbox next",
      aView(aPod(), [aSandbox([aContainer("a", "exited")])], { evicted: "why" }),
      ["stopSandbox s0"],
    ],
    [
      "removes an evicted Pod's volumes, even when its status is already written",
      aView(aPod({}, {}, { phase: "Failed" }), [aSandbox([aContainer("a", "exited")], "notReady")], {
        evicted: "why",
      }),
      ["removeVolumes"],
    ],
    ["does so once", aView(aPod(), [aSandbox([], "notReady")], { evicted: "why", cleared: true }), []],
  ])("%s", (_name, view, expected) => {
    expect(plan(view)).toEqual(expected);
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
