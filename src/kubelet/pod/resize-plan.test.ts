import { describe, expect, test } from "vitest";
import type { Requirements } from "../allocation/sizes.ts";
import { aContainer, aPod, aSandbox, aView, deleted } from "./builders.suite.ts";
import { planPod } from "./plan.ts";
import { podSteps } from "./resize.ts";
import { planResize } from "./resize-plan.ts";
import { podStatus } from "./status.ts";
import type { PodView } from "./view.ts";

const size = (cpu: string, memory: string): Requirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const restart = { resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }] };

function view(
  containers: readonly object[],
  actuated: Readonly<Record<string, Requirements>>,
  more: { state?: "running" | "exited"; metadata?: object } = {},
): PodView {
  const pod = aPod({ containers }, more.metadata);
  const running = pod.spec.containers.map(({ name }) => aContainer(name, more.state ?? "running"));
  return aView(pod, [aSandbox(running)], { resize: { actuated: new Map(Object.entries(actuated)) } });
}

const brief = (one: PodView) => {
  const { restarts, changes } = planResize(one);
  const names = (list: readonly { container: { name: string } }[] = []) =>
    list.map(({ container }) => container.name);
  return [names(restarts), names(changes?.memory), names(changes?.cpu), changes?.wholePod];
};

describe("planResize", () => {
  test("changes what differs, decreases first", () => {
    const grows = { name: "a", resources: size("2", "1Gi") };
    const shrinks = { name: "b", resources: size("1", "1Gi") };
    const before = { a: size("1", "2Gi"), b: size("2", "512Mi") };
    expect(brief(view([grows, shrinks], before))).toEqual([[], ["a", "b"], ["b", "a"], false]);
  });

  test("restarts a container whose policy says so, and only for that resource", () => {
    const a = { name: "a", ...restart, resources: size("1", "1Gi") };
    expect(brief(view([a], { a: size("1", "2Gi") }))).toEqual([["a"], [], [], true]);
    expect(brief(view([a], { a: size("2", "1Gi") }))).toEqual([[], [], ["a"], false]);
  });

  test("leaves containers that do not run", () => {
    const a = { name: "a", resources: size("1", "1Gi") };
    expect(brief(view([a], { a: size("2", "1Gi") }, { state: "exited" }))).toEqual([[], [], [], undefined]);
  });

  test("counts the Pod's limit for containers without one", () => {
    const pod = aPod({ containers: [{ name: "a" }], resources: { limits: { memory: "2Gi" } } });
    const actuated = new Map([["", { limits: { memory: "1Gi" } }]]);
    const one = aView(pod, [aSandbox([aContainer("a", "running")])], { resize: { actuated } });
    expect(brief(one)).toEqual([[], ["a"], [], true]);
  });
});

describe("planPod", () => {
  const a = { name: "a", resources: size("2", "1Gi") };
  const actions = (one: PodView) => planPod(one).actions;

  test("changes sizes once at a time, and not of a Pod that ends", () => {
    const one = view([a], { a: size("1", "1Gi") });
    expect(actions(one)).toMatchObject([{ type: "resize" }]);
    expect(actions({ ...one, work: new Map([["resize", { state: "starting" }]]) })).toEqual([]);
    const ending = view([a], { a: size("1", "1Gi") }, { metadata: deleted });
    expect(actions(ending)).toMatchObject([{ type: "stopContainer" }]);
  });

  test("starts a container again that was stopped for its sizes, whatever the Pod's policy", () => {
    const one = view([{ ...a, ...restart }], { a: size("2", "2Gi") });
    const why = "Container a resize requires restart";
    expect(actions(one)).toMatchObject([{ type: "stopContainer", why, forResize: true }, { type: "resize" }]);
    const pod = aPod({ containers: [a], restartPolicy: "OnFailure" });
    const exited = aView(pod, [aSandbox([aContainer("a", "exited")])]);
    expect(actions(exited)).toEqual([]);
    const restarting = aView(pod, [aSandbox([aContainer("a", "exited")])], { restarting: new Set(["a-0"]) });
    expect(actions(restarting)).toMatchObject([{ type: "startContainer", attempt: 1 }]);
  });
});

describe("the status", () => {
  test("shows accepted sizes, sizes in use and conditions", () => {
    const one = view([{ name: "a", resources: size("2", "1Gi") }], { a: size("1", "1Gi") });
    const inProgress = { reason: "Error", message: "no", generation: 4, since: 0 };
    const pending = { reason: "Deferred", message: "full", generation: 5, since: 0 };
    const shown = podStatus(
      { ...one, resize: { actuated: one.resize?.actuated ?? new Map(), inProgress, pending } },
      { hostIPs: [], runtimeName: "r" },
    );
    expect(shown).toMatchObject({
      allocatedResources: { cpu: "2", memory: "1Gi" },
      resources: size("1", "1Gi"),
      containerStatuses: [{ allocatedResources: { cpu: "2", memory: "1Gi" }, resources: size("1", "1Gi") }],
    });
    const time = { status: "True", lastTransitionTime: "1970-01-01T00:00:00Z" };
    expect(shown.conditions?.slice(-2)).toEqual([
      { type: "PodResizePending", observedGeneration: 5, reason: "Deferred", message: "full", ...time },
      { type: "PodResizeInProgress", observedGeneration: 4, reason: "Error", message: "no", ...time },
    ]);
  });
});

test.each([
  ["grows before", { memoryLimitBytes: 1 }, { memoryLimitBytes: 2 }, [{ memoryLimitBytes: 2 }, {}]],
  ["shrinks after", { memoryLimitBytes: 2 }, { memoryLimitBytes: 1 }, [{}, { memoryLimitBytes: 1 }]],
  ["gets a limit after", {}, { memoryLimitBytes: 1 }, [{}, { memoryLimitBytes: 1 }]],
  ["keeps a limit that is removed", { memoryLimitBytes: 1 }, {}, [{}, {}]],
])("the Pod's cgroup %s its containers", (_what, present, wanted, steps) => {
  expect(podSteps("memory", present, wanted)).toEqual(steps);
});
