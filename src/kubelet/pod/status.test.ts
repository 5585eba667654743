import { describe, expect, it } from "vitest";
import {
  aContainer,
  aPod,
  aSandbox,
  aView,
  init,
  now,
  ruled,
  sidecar,
  deleted,
  evicted,
} from "./builders.suite.ts";
import { podStatus } from "./status.ts";
import type { PodView } from "./view.ts";

const node = { hostIPs: ["192.0.2.1"], runtimeName: "native" };
const time = "2026-01-01T00:00:00Z";

describe("podStatus", () => {
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
    const evicted = { end: { reason: "Evicted", message: "too much" } };
    const running = podStatus(aView(aPod(), [aSandbox([aContainer("a", "running")])], evicted), node);
    expect(running).toMatchObject({ phase: "Running" });
    expect(running.reason).toBeUndefined();
    const exited = aContainer("a", "exited", { exitCode: 137 });
    const ended = aView(aPod(), [aSandbox([exited], "notReady")], evicted);
    const status = podStatus(ended, node);
    expect(status).toMatchObject({ phase: "Failed", reason: "Evicted", message: "too much" });
    expect(status.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(137);
    // A restarted node agent that has forgotten the reason leaves the status unchanged.
    const later = podStatus({ ...ended, end: undefined, pod: { ...ended.pod, status } }, node);
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
});

/** The status of a container of the Pod, by its name. */
function statusOf(view: PodView, name = "a") {
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = podStatus(view, node);
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name,
  );
}

/** The conditions of a Pod as `Type=Status` with their reasons and messages. */
function conditions(view: PodView): readonly string[] {
  return (podStatus(view, node).conditions ?? []).map(({ type, status, reason, message }) =>
    [`${type}=${status}`, reason, message].filter((one) => one !== undefined).join(" "),
  );
}

const never = { restartPolicy: "Never" };
const two = { containers: [{ name: "a" }, { name: "b" }] };
const fresh = { delayMs: 10_000, since: now };

describe("the status of a Pod", () => {
  const condition = (type: string, status: string, more: object = {}) => ({
    type,
    status,
    ...more,
    lastTransitionTime: time,
  });
  const unready = { reason: "ContainersNotReady", message: "containers with unready status: [a]" };
  const hostIPs = ["192.0.2.1", "192.0.2.2"];

  it("is whole before anything has happened", () => {
    const status = podStatus(aView(aPod({}, { generation: 3 }), []), { ...node, hostIPs });
    expect(status).toEqual({
      observedGeneration: 3,
      resources: {},
      phase: "Pending",
      conditions: [
        condition("PodReadyToStartContainers", "False"),
        condition("Initialized", "True"),
        condition("Ready", "False", unready),
        condition("ContainersReady", "False", unready),
        condition("PodScheduled", "True"),
      ],
      startTime: time,
      hostIP: "192.0.2.1",
      hostIPs: hostIPs.map((ip) => ({ ip })),
      containerStatuses: [
        {
          name: "a",
          state: { waiting: { reason: "ContainerCreating" } },
          lastState: {},
          ready: false,
          restartCount: 0,
          image: "",
          imageID: "",
          started: false,
        },
      ],
    });
  });

  it("is whole while its container runs again", () => {
    const exited = aContainer("a", "exited", {
      attempt: 1,
      exitCode: 2,
      reason: "OOMKilled",
      message: "m",
      finishedAt: now + 5000,
    });
    const running = aContainer("a", "running", { attempt: 2, startedAt: now + 6000 });
    const status = podStatus(aView(aPod(), [aSandbox([exited, running])]), node);
    expect(status).toEqual({
      resources: {},
      phase: "Running",
      conditions: [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
      ].map((type) => condition(type, "True")),
      startTime: time,
      hostIP: "192.0.2.1",
      hostIPs: [{ ip: "192.0.2.1" }],
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      containerStatuses: [
        {
          name: "a",
          state: { running: { startedAt: "2026-01-01T00:00:06Z" } },
          lastState: {
            terminated: {
              exitCode: 2,
              reason: "OOMKilled",
              message: "m",
              startedAt: time,
              finishedAt: "2026-01-01T00:00:05Z",
              containerID: "native://a-1",
            },
          },
          ready: true,
          resources: {},
          restartCount: 2,
          image: "i",
          imageID: "sha256:1",
          containerID: "native://a-2",
          started: true,
        },
      ],
    });
  });

  it("has only the facts of an exit that the runtime knows", () => {
    const { exitCode: _, startedAt: __, finishedAt: ___, ...exited } = aContainer("a", "exited");
    expect(statusOf(aView(aPod(never), [aSandbox([exited])]))?.state).toEqual({
      terminated: { exitCode: 137, reason: "Error", containerID: "native://a-0" },
    });
  });

  it("has the creation of a running container whose start is not known", () => {
    const { startedAt: _, ...running } = aContainer("a", "running", { createdAt: now + 1000 });
    expect(statusOf(aView(aPod(), [aSandbox([running])]))?.state).toEqual({
      running: { startedAt: "2026-01-01T00:00:01Z" },
    });
  });

  it("shows the image of the spec until the runtime knows better", () => {
    const pod = aPod({ containers: [{ name: "a", image: "example.com/a" }] });
    expect(statusOf(aView(pod, []))?.image).toBe("example.com/a");
    expect(statusOf(aView(pod, [aSandbox([aContainer("a", "running")])]))?.image).toBe("i");
  });

  it("keeps its start, its addresses and what others wrote", () => {
    const old = {
      startTime: "2025-12-31T00:00:00Z",
      podIP: "10.0.0.9",
      podIPs: [{ ip: "10.0.0.9" }],
      qosClass: "BestEffort",
    };
    expect(podStatus(aView(aPod({}, {}, old), []), { ...node, hostIPs: [] })).toMatchObject(old);
    expect(podStatus(aView(aPod({}, {}, old), []), { ...node, hostIPs: [] })).not.toHaveProperty("hostIP");
    expect(podStatus(aView(aPod({}, {}, old), [aSandbox([])]), node)).toMatchObject({ podIP: "10.0.0.1" });
  });

  it("has no address without a ready sandbox", () => {
    const status = podStatus(aView(aPod(), [aSandbox([], "notReady")]), node);
    expect(status).not.toHaveProperty("podIP");
    expect(status).not.toHaveProperty("podIPs");
  });

  it("has the node's addresses on the node's network", () => {
    const status = podStatus(aView(aPod({ hostNetwork: true }), [aSandbox([])]), { ...node, hostIPs });
    expect(status).toMatchObject({ podIP: "192.0.2.1", podIPs: hostIPs.map((ip) => ({ ip })) });
    expect(podStatus(aView(aPod({ hostNetwork: false }), [aSandbox([])]), node).podIP).toBe("10.0.0.1");
  });

  it("lists containers by their part, in the order of the spec", () => {
    const spec = { ...sidecar, ...two, ephemeralContainers: [{ name: "debug" }] };
    const status = podStatus(aView(aPod(spec), []), node);
    const names = (all: typeof status.containerStatuses) => all?.map(({ name }) => name);
    expect(names(status.initContainerStatuses)).toEqual(["side", "i2"]);
    expect(names(status.containerStatuses)).toEqual(["a", "b"]);
    expect(names(status.ephemeralContainerStatuses)).toEqual(["debug"]);
  });
});

describe("a container's state", () => {
  const trouble = { failure: { reason: "ErrImagePull", message: "m" }, retry: fresh };
  const failure: PodView["work"] = new Map([["container/side", { state: "idle", trouble }]]);
  const withTrouble: PodView["work"] = new Map([["container/a", { state: "idle", trouble }]]);

  it.each<[string, PodView, string, string]>([
    ["ContainerCreating", aView(aPod(), [aSandbox([])]), "a", "in a Pod without init containers"],
    ["ContainerCreating", aView(aPod(), [aSandbox([aContainer("a", "created")])]), "a", "once it is created"],
    ["PodInitializing", aView(aPod(init), [aSandbox([])]), "i1", "as an init container"],
    ["PodInitializing", aView(aPod(sidecar), [aSandbox([])]), "side", "as a sidecar"],
    ["PodInitializing", aView(aPod(init), [aSandbox([])]), "a", "while init containers run"],
    [
      "PodInitializing",
      aView(aPod(init), [aSandbox([aContainer("i1", "exited"), aContainer("i2", "exited")])]),
      "a",
      "also when the init containers are done",
    ],
    [
      "PodInitializing",
      aView(aPod({ ...init, ephemeralContainers: [{ name: "debug" }] }), [aSandbox([])]),
      "debug",
      "as an ephemeral container beside init containers",
    ],
    [
      "ContainerCreating",
      aView(aPod({ ephemeralContainers: [{ name: "debug" }] }), [aSandbox([])]),
      "debug",
      "as an ephemeral container without them",
    ],
  ])("is waiting for %s", (reason, view, name, _) => {
    expect(statusOf(view, name)).toMatchObject({
      state: { waiting: { reason } },
      ready: false,
      started: false,
    });
  });

  it("is waiting for its failure before its first start, and before the next", () => {
    for (const containers of [[], [aContainer("a", "exited", { exitCode: 1 })]])
      expect(statusOf(aView(aPod(), [aSandbox(containers)], { work: withTrouble }))?.state).toEqual({
        waiting: trouble.failure,
      });
  });

  it("is terminated, despite a failure, when it does not start again", () => {
    const view = aView(aPod(never), [aSandbox([aContainer("a", "exited")])], { work: withTrouble });
    expect(statusOf(view)).toMatchObject({ state: { terminated: { reason: "Completed" } }, lastState: {} });
  });

  it("has ended once its back-off has passed, and before one begins", () => {
    const exited = aSandbox([aContainer("a", "exited", { exitCode: 1 })]);
    const restarts = { delayMs: 10_000, since: now };
    const work: PodView["work"] = new Map([["container/a", { state: "idle", restarts }]]);
    const state = (view: PodView) => Object.keys(statusOf(view)?.state ?? {});
    expect(state(aView(aPod(), [exited]))).toEqual(["terminated"]);
    expect(state(aView(aPod(), [exited], { work, now: now + 9999 }))).toEqual(["waiting"]);
    expect(state(aView(aPod(), [exited], { work, now: now + 10_000 }))).toEqual(["terminated"]);
  });

  it.each([
    [10_000, "10s"],
    [40_000, "40s"],
    [60_000, "1m0s"],
    [80_000, "1m20s"],
    [300_000, "5m0s"],
  ])("backs off for %d ms as Go writes it: %s", (delayMs, text) => {
    const work: PodView["work"] = new Map([
      ["container/a", { state: "idle", restarts: { delayMs, since: now } }],
    ]);
    const view = aView(aPod(), [aSandbox([aContainer("a", "exited", { exitCode: 1 })])], { work });
    expect(statusOf(view)?.state.waiting?.message).toBe(
      `back-off ${text} restarting failed container=a pod=p_ns(u1)`,
    );
  });

  it("has ended, as a sidecar that was stopped after the main containers", () => {
    const containers = [
      aContainer("side", "exited", { exitCode: 143 }),
      aContainer("i2", "exited"),
      aContainer("a", "exited"),
    ];
    const view = (restartPolicy: string) =>
      aView(aPod({ ...sidecar, restartPolicy }), [aSandbox(containers)], { work: failure });
    expect(Object.keys(statusOf(view("Never"), "side")?.state ?? {})).toEqual(["terminated"]);
    expect(Object.keys(statusOf(view("Always"), "side")?.state ?? {})).toEqual(["waiting"]);
  });

  it("keeps the end before the last while it has ended again", () => {
    const [first, second] = [
      aContainer("a", "exited", { exitCode: 1 }),
      aContainer("a", "exited", { attempt: 1 }),
    ];
    expect(statusOf(aView(aPod(never), [aSandbox([first, second])]))).toMatchObject({
      state: { terminated: { containerID: "native://a-1" } },
      lastState: { terminated: { exitCode: 1, containerID: "native://a-0" } },
    });
    expect(statusOf(aView(aPod(never), [aSandbox([aContainer("a", "created"), second])]))?.lastState).toEqual(
      {},
    );
  });

  it.each<[string, string, boolean, boolean, PodView]>([
    ["a", "runs and was probed", true, true, aView(aPod(), [aSandbox([aContainer("a", "running")])])],
    [
      "a",
      "has not started",
      false,
      false,
      aView(aPod(), [aSandbox([aContainer("a", "running")])], probed(false, true)),
    ],
    [
      "a",
      "is not ready",
      true,
      false,
      aView(aPod(), [aSandbox([aContainer("a", "running")])], probed(true, false)),
    ],
    [
      "a",
      "was not probed yet",
      false,
      false,
      aView(aPod(), [aSandbox([aContainer("a", "running")])], { probes: new Map() }),
    ],
    [
      "a",
      "has ended",
      false,
      false,
      aView(aPod(never), [aSandbox([aContainer("a", "exited")])], probed(true, true)),
    ],
    [
      "i1",
      "runs as an init container",
      true,
      false,
      aView(aPod(init), [aSandbox([aContainer("i1", "running")])]),
    ],
    [
      "i1",
      "has succeeded as an init container",
      false,
      true,
      aView(aPod(init), [aSandbox([aContainer("i1", "exited")])]),
    ],
    [
      "i1",
      "has failed as an init container",
      false,
      false,
      aView(aPod({ ...init, ...never }), [aSandbox([aContainer("i1", "exited", { exitCode: 1 })])]),
    ],
    [
      "side",
      "runs as a sidecar",
      true,
      true,
      aView(aPod(sidecar), [aSandbox([aContainer("side", "running")])]),
    ],
    [
      "side",
      "has ended as a sidecar",
      false,
      false,
      aView(aPod(sidecar), [aSandbox([aContainer("side", "exited")])]),
    ],
    [
      "a",
      "is ephemeral",
      true,
      false,
      aView(aPod({ containers: [], ephemeralContainers: [{ name: "a" }] }), [
        aSandbox([aContainer("a", "running")]),
      ]),
    ],
  ])("%s, which %s: started %s, ready %s", (name, _, started, ready, view) => {
    expect(statusOf(view, name)).toMatchObject({ started, ready });
  });

  function probed(started: boolean, ready: boolean) {
    return { probes: new Map([["a-0", { started, ready }]]) };
  }

  const ended = {
    name: "a",
    state: { terminated: { exitCode: 3 } },
    restartCount: 4,
    ready: false,
    image: "",
    imageID: "",
    lastState: {},
  };
  const lost = {
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: "The container could not be located when the pod was terminated",
  };
  it.each(["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"])(
    "is kept in the %s of a terminating Pod after the container is removed",
    (field) => {
      const part = {
        containerStatuses: "containers",
        initContainerStatuses: "initContainers",
        ephemeralContainerStatuses: "ephemeralContainers",
      }[field];
      const spec = { containers: [], [part ?? ""]: [{ name: "a" }, { name: "b" }] };
      const running = { ...ended, name: "b", state: { running: {} }, ready: true, started: true };
      const gone = aPod(spec, deleted, { [field]: [ended, running] });
      expect(statusOf(aView(gone, []))).toMatchObject({
        state: { terminated: { exitCode: 3 } },
        restartCount: 4,
      });
      expect(statusOf(aView(gone, []), "b")).toMatchObject({
        state: { terminated: lost },
        restartCount: 4,
        ready: false,
        started: false,
      });
      const present = aPod(spec, {}, { [field]: [ended, running] });
      expect(statusOf(aView(present, []))?.state).toHaveProperty("waiting");
    },
  );
});

describe("the phase of a Pod", () => {
  const exit = (name: string, exitCode = 0) => aContainer(name, "exited", { exitCode });
  const looping: PodView["work"] = new Map([["container/a", { state: "idle", restarts: fresh }]]);
  const crashed = {
    name: "a",
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: { terminated: { exitCode: 1 } },
    ready: false,
    restartCount: 1,
    image: "",
    imageID: "",
  };

  it.each<[string, string, PodView]>([
    [
      "Pending",
      "while one of several containers has not started",
      aView(aPod(two), [aSandbox([aContainer("a", "running")])]),
    ],
    [
      "Running",
      "while one of several containers runs",
      aView(aPod({ ...two, ...never }), [aSandbox([aContainer("a", "running"), exit("b", 1)])]),
    ],
    [
      "Succeeded",
      "when all containers have succeeded",
      aView(aPod({ ...two, ...never }), [aSandbox([exit("a"), exit("b")])]),
    ],
    [
      "Failed",
      "when one of several has failed",
      aView(aPod({ ...two, ...never }), [aSandbox([exit("a"), exit("b", 1)])]),
    ],
    ["Running", "while a container backs off", aView(aPod(), [aSandbox([exit("a", 1)])], { work: looping })],
    ["Running", "when a success will be repeated", aView(aPod(), [aSandbox([exit("a")])])],
    [
      "Running",
      "when one of several will be repeated",
      aView(aPod({ ...two, restartPolicy: "OnFailure" }), [aSandbox([exit("a"), exit("b", 1)])]),
    ],
    ["Succeeded", "under OnFailure", aView(aPod({ restartPolicy: "OnFailure" }), [aSandbox([exit("a")])])],
    [
      "Succeeded",
      "when a deleted Pod's containers have succeeded, under any policy",
      aView(aPod({}, deleted), [aSandbox([exit("a")])]),
    ],
    [
      "Failed",
      "when a deleted Pod's containers have failed, under any policy",
      aView(aPod({}, deleted), [aSandbox([exit("a", 1)])]),
    ],
    [
      "Failed",
      "when a deleted Pod backed off last",
      aView(aPod({}, deleted, { containerStatuses: [crashed] }), []),
    ],
    [
      "Pending",
      "while a failed init container will be repeated",
      aView(aPod(init), [aSandbox([exit("i1", 1)])]),
    ],
    ["Pending", "between init containers", aView(aPod({ ...init, ...never }), [aSandbox([exit("i1")])])],
    [
      "Pending",
      "before a sidecar has started",
      aView(aPod(sidecar), [aSandbox([aContainer("side", "running")])], { probes: new Map() }),
    ],
    [
      "Running",
      "while a sidecar starts again",
      aView(aPod(sidecar), [aSandbox([exit("side", 1), exit("i2"), aContainer("a", "running")])]),
    ],
    [
      "Succeeded",
      "permanently after it was reached",
      aView(aPod({}, {}, { phase: "Succeeded" }), [aSandbox([aContainer("a", "running")])]),
    ],
    [
      "Pending",
      "when it evicts what has not ended",
      aView(aPod(), [], { end: evicted, work: new Map([["container/a", { state: "starting" }]]) }),
    ],
    [
      "Pending",
      "when it evicts what is being stopped before it runs",
      aView(aPod(), [], { end: evicted, work: new Map([["container/a", { state: "aborting" }]]) }),
    ],
    [
      "Failed",
      "when it evicts what only stops",
      aView(aPod(), [], { end: evicted, work: new Map([["sandbox/s0", { state: "stopping" }]]) }),
    ],
    [
      "Running",
      "when it evicts what still runs in one of several sandboxes",
      aView(
        aPod(),
        [
          aSandbox([exit("a")], "notReady"),
          aSandbox([exit("b"), aContainer("a", "running", { attempt: 1 })], "ready", 1),
        ],
        { end: evicted },
      ),
    ],
    [
      "Running",
      "while a container is made again",
      aView(aPod(), [aSandbox([exit("a", 1), aContainer("a", "created", { attempt: 1 })])]),
    ],
    [
      "Running",
      "while sidecars outlive the main containers",
      aView(aPod({ ...sidecar, ...never }), [
        aSandbox([aContainer("side", "running"), exit("i2"), exit("a")]),
      ]),
    ],
    [
      "Succeeded",
      "when sidecars have ended too, with any exit code",
      aView(aPod({ ...sidecar, ...never }), [aSandbox([exit("side", 137), exit("i2"), exit("a")])]),
    ],
  ])("is %s %s", (phase, _, view) => {
    expect(podStatus(view, node).phase).toBe(phase);
  });
});

describe("the conditions of a Pod", () => {
  const ready = [aSandbox([aContainer("a", "running")])];
  const gated = { readinessGates: [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }] };
  const gate = (name: string, status: string) => ({ type: `example.com/${name}`, status });

  it.each<[string, object, string]>([
    [
      "are missing",
      {},
      'Ready=False ReadinessGatesNotReady corresponding condition of pod readiness gate "example.com/a" does not exist., corresponding condition of pod readiness gate "example.com/b" does not exist.',
    ],
    [
      "are closed",
      { conditions: [gate("a", "False"), gate("b", "True")] },
      'Ready=False ReadinessGatesNotReady the status of pod readiness gate "example.com/a" is not "True", but False',
    ],
    ["are open", { conditions: [gate("a", "True"), gate("b", "True")] }, "Ready=True"],
  ])("say whether its readiness gates %s", (_, status, expected) => {
    const found = conditions(aView(aPod(gated, {}, status), ready));
    expect(found).toContain(expected);
    expect(found).toContain("ContainersReady=True");
  });

  it("blame containers before readiness gates", () => {
    expect(conditions(aView(aPod(gated), [aSandbox([])]))).toContain(
      "Ready=False ContainersNotReady containers with unready status: [a]",
    );
  });

  it("count sidecars among the containers that must be ready", () => {
    const containers = [
      aContainer("side", "running"),
      aContainer("i2", "exited"),
      aContainer("a", "running"),
    ];
    const probes = new Map([
      ["side-0", { started: true, ready: false }],
      ["a-0", { started: true, ready: false }],
    ]);
    const view = aView(aPod(sidecar), [aSandbox(containers)], { probes });
    expect(conditions(view)).toContain(
      "ContainersReady=False ContainersNotReady containers with unready status: [side a]",
    );
    expect(conditions(aView(aPod(sidecar), [aSandbox(containers)]))).toContain("Ready=True");
  });

  it.each<[string, PodView, readonly string[]]>([
    [
      "init containers that are not done",
      aView(aPod(init), [aSandbox([aContainer("i1", "exited"), aContainer("i2", "running")])]),
      [
        "Initialized=False ContainersNotInitialized containers with incomplete status: [i2]",
        "PodReadyToStartContainers=True",
      ],
    ],
    [
      "a Pod that is initialized",
      aView(aPod(init), [aSandbox([aContainer("i1", "exited"), aContainer("i2", "exited")])]),
      ["Initialized=True"],
    ],
    [
      "a Pod that has succeeded",
      aView(aPod({ ...init, ...never }, {}, { phase: "Succeeded" }), []),
      [
        "PodReadyToStartContainers=False",
        "Initialized=True PodCompleted",
        "Ready=False PodCompleted",
        "ContainersReady=False PodCompleted",
        "PodScheduled=True",
      ],
    ],
    [
      "a Pod that has failed",
      aView(aPod({}, {}, { phase: "Failed" }), ready),
      ["Initialized=True", "Ready=False PodFailed", "ContainersReady=False PodFailed"],
    ],
    [
      "a Pod that has failed before it was initialized",
      aView(aPod(init, {}, { phase: "Failed" }), []),
      [
        "Initialized=False ContainersNotInitialized containers with incomplete status: [i1 i2]",
        "Ready=False PodFailed",
      ],
    ],
  ])("describe %s", (_, view, expected) => {
    expect(conditions(view)).toEqual(expect.arrayContaining([...expected]));
  });

  it("of others stay as they are, behind its own", () => {
    const other = { ...gate("a", "Unknown"), lastTransitionTime: "2025-01-01T00:00:00Z" };
    const all = podStatus(aView(aPod({}, {}, { conditions: [other] }), ready), node).conditions ?? [];
    expect(all).toHaveLength(6);
    expect(all[5]).toEqual(other);
  });

  it("get a new time with a new status only", () => {
    const before = podStatus(aView(aPod(), [aSandbox([])]), node);
    const view = aView(aPod({}, {}, before), ready, { now: now + 60_000 });
    const times = podStatus(view, node).conditions?.map(({ type, lastTransitionTime }) => [
      type,
      lastTransitionTime,
    ]);
    const later = "2026-01-01T00:01:00Z";
    expect(times).toEqual([
      ["PodReadyToStartContainers", time],
      ["Initialized", time],
      ["Ready", later],
      ["ContainersReady", later],
      ["PodScheduled", time],
    ]);
  });
});
