import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { aPod, type Amounts, openAllocations, someFacts } from "./builders.suite.ts";

const critical = { spec: { priority: 2_000_000_000 } };
const sized = (name: string, cpu: string, generation = 2) =>
  aPod(name, { cpu }, { metadata: { generation } });

describe("a new Pod", () => {
  const taint = { key: "k", value: "v", effect: "NoExecute" };
  test.each<readonly [what: string, pod: ReturnType<typeof aPod>, node: object, refused: object | undefined]>(
    [
      ["that fits is admitted", aPod("p", { cpu: "4" }), {}, undefined],
      [
        "that requests too much",
        aPod("p", { cpu: "4500m", memory: "5Gi" }),
        {},
        {
          reason: "OutOfcpu",
          message: "Node didn't have enough resource: cpu, requested: 4500, used: 0, capacity: 4000",
        },
      ],
      [
        "that requests a resource beyond its Pod-level amount's room",
        aPod("p", {}, { spec: { resources: { requests: { memory: "5Gi" } } } }),
        {},
        {
          reason: "OutOfmemory",
          message:
            "Node didn't have enough resource: memory, requested: 5368709120, used: 0, capacity: 4294967296",
        },
      ],
      [
        "that wants another node",
        aPod("p", {}, { spec: { nodeSelector: { disk: "ssd" } } }),
        {},
        {
          reason: "NodeAffinity",
          message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        },
      ],
      [
        "that does not tolerate a taint",
        aPod("p", {}),
        { spec: { taints: [taint] } },
        {
          reason: "TaintToleration",
          message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
        },
      ],
      [
        "from a file, despite the taint,",
        aPod("p", {}, { metadata: { annotations: { "kubernetes.io/config.source": "file" } } }),
        { spec: { taints: [taint] } },
        undefined,
      ],
      [
        "for another system",
        aPod("p", {}, { spec: { os: { name: "windows" } } }),
        {},
        { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" },
      ],
      ["with an extended resource that the node does not know", aPod("p", { "a.b/c": "1" }), {}, undefined],
    ],
  )("%s", (_what, pod, node, refused) => {
    const facts = () => someFacts({ cpu: "4", memory: "4Gi" }, node);
    const verdict = openAllocations({ facts }).allocations.decide(pod, false);
    expect(verdict).toMatchObject(refused === undefined ? { admitted: pod } : { refused });
  });

  test("waits for the node's registration", () => {
    expect(openAllocations({ facts: () => undefined }).allocations.decide(aPod("p", {}), false)).toBe(
      undefined,
    );
  });

  test("beside others has the room that they leave, by requests, host ports and number", () => {
    const { allocations } = openAllocations();
    const port = { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, hostPort: 80 }] }] } };
    allocations.decide(aPod("p", { cpu: "3" }), false);
    allocations.decide(aPod("q", {}, port), false);
    const reason = (requests: Amounts, more = {}) => {
      const verdict = allocations.decide(aPod("r", requests, more), false);
      return verdict !== undefined && "refused" in verdict ? verdict.refused.reason : undefined;
    };
    expect(reason({ cpu: "2" })).toBe("OutOfcpu");
    expect(reason({}, port)).toBe("NodePorts");
    expect(reason({ cpu: "1" })).toBe(undefined);
    expect(allocations.decide(aPod("s", {}), false)).toMatchObject({ refused: { reason: "OutOfpods" } });
    allocations.release("q");
    expect(allocations.decide(aPod("s", {}), false)).toHaveProperty("admitted");
  });

  test("that an earlier process has started is not refused", () => {
    expect(openAllocations().allocations.decide(aPod("p", { cpu: "9" }), true)).toHaveProperty("admitted");
  });

  test("that is critical ends the others whose end makes room", () => {
    const { allocations, seen } = openAllocations();
    allocations.decide(aPod("best", {}), false);
    allocations.decide(aPod("small", { cpu: "1" }), false);
    allocations.decide(aPod("large", { cpu: "2" }), false);
    expect(allocations.decide(aPod("c", { cpu: "3" }, critical), false)).toHaveProperty("admitted");
    expect(seen).toEqual(["preempt large"]);
    const huge = allocations.decide(aPod("d", { cpu: "5" }, critical), false);
    expect(huge).toMatchObject({ refused: { reason: "UnexpectedAdmissionError" } });
  });
});

describe("a resize", () => {
  test("is accepted when it fits, and completes when its container has the sizes", async () => {
    const { allocations, seen } = openAllocations();
    allocations.decide(sized("p", "1", 1), false);
    const verdict = allocations.decide(sized("p", "2"), false);
    expect(verdict).toMatchObject({
      admitted: { spec: { containers: [{ resources: { requests: { cpu: "2" } } }] } },
      resize: { inProgress: { generation: 2, reason: "" } },
    });
    expect(allocations.resizeOf("p").actuated.get("a")).toEqual({ requests: { cpu: "1" } });
    expect(allocations.settle("p", new Set(["a"])).inProgress).toBeDefined();
    allocations.failed("p", "no");
    allocations.failed("p", "no");
    expect(allocations.resizeOf("p").inProgress).toMatchObject({ reason: "Error", message: "no" });
    await allocations.actuate("p", "a", { requests: { cpu: "2" } });
    expect(allocations.settle("p", new Set(["a"]))).toMatchObject({ inProgress: undefined });
    const sizes = '{"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}],"generation":2';
    expect(seen).toEqual([
      `Normal ResizeStarted Pod resize started: ${sizes}}`,
      `Warning ResizeError Pod resize error: ${sizes},"error":"no"}`,
      `Normal ResizeCompleted Pod resize completed: ${sizes}}`,
    ]);
  });

  test("waits for room, and the Pod keeps its sizes meanwhile", () => {
    const { allocations, seen } = openAllocations();
    allocations.decide(sized("p", "1", 1), false);
    allocations.decide(sized("q", "2", 1), false);
    const message = "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000";
    expect(allocations.decide(sized("p", "3"), false)).toMatchObject({
      admitted: { spec: { containers: [{ resources: { requests: { cpu: "1" } } }] } },
      resize: { pending: { reason: "Deferred", message, generation: 2 } },
    });
    // A change of something else is no reason for another Event.
    allocations.decide({ ...sized("p", "3"), status: {} }, false);
    expect(seen).toEqual([expect.stringContaining("Warning ResizeDeferred Pod resize Deferred: ")]);
    expect(allocations.retry()).toEqual([]);
    allocations.release("q");
    expect(allocations.retry()).toEqual(["p"]);
    expect(allocations.resizeOf("p")).toMatchObject({ inProgress: { generation: 2 } });
    expect(allocations.hasPending()).toBe(false);
  });

  test("leaves everything else of the Pod as it is now", () => {
    const { allocations } = openAllocations();
    const first = sized("p", "1", 1);
    allocations.decide(first, false);
    expect(allocations.decidedOf(first)).toBe(first);
    const metadata = { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z" };
    const ending = aPod("p", { cpu: "9" }, { metadata });
    expect(allocations.decidedOf(ending)).toBe(undefined);
    expect(allocations.acceptedOf(ending)).toMatchObject({
      metadata,
      spec: { containers: [{ resources: { requests: { cpu: "1" } } }] },
    });
    expect(allocations.acceptedOf(ending)).toBe(allocations.decidedOf(ending));
  });

  test("that is taken back waits no longer", () => {
    const { allocations } = openAllocations();
    allocations.decide(sized("p", "1", 1), false);
    allocations.decide(sized("p", "9"), false);
    allocations.decide(sized("p", "1", 3), false);
    expect(allocations.hasPending()).toBe(false);
  });

  test("of a Pod that matters more is accepted first", () => {
    const { allocations } = openAllocations();
    const of = (name: string, cpu: string, priority: number, generation: number) =>
      aPod(
        name,
        { cpu },
        {
          metadata: { generation },
          spec: { priority, containers: [{ name: "a", resources: { requests: { cpu } } }] },
        },
      );
    allocations.decide(of("low", "1", 0, 1), false);
    allocations.decide(of("high", "1", 5, 1), false);
    allocations.decide(of("other", "2", 0, 1), false);
    allocations.decide(of("low", "3", 0, 2), false);
    allocations.decide(of("high", "3", 5, 2), false);
    allocations.release("other");
    expect(allocations.retry()).toEqual(["high"]);
  });
});

describe("the checkpoint", () => {
  let directory: string | undefined;
  afterEach(() => directory !== undefined && rmSync(directory, { recursive: true }));

  test("keeps accepted sizes and sizes in use over a restart", async () => {
    directory = mkdtempSync(join(tmpdir(), "knarr-allocations-"));
    const file = join(directory, "state", "allocated");
    const first = openAllocations({ file }).allocations;
    first.decide(sized("p", "1", 1), false);
    first.decide(sized("p", "2"), false);
    await first.saved();
    const { allocations } = openAllocations({ file });
    expect(allocations.decide(sized("p", "9", 3), true)).toMatchObject({
      admitted: { spec: { containers: [{ resources: { requests: { cpu: "2" } } }] } },
      resize: { pending: { reason: "Deferred", generation: 3 } },
    });
    expect(allocations.resizeOf("p").actuated.get("a")).toEqual({ requests: { cpu: "1" } });
    writeFileSync(file, "{");
    const damaged = openAllocations({ file }).allocations;
    expect(damaged.decide(sized("p", "3", 3), true)).toHaveProperty("admitted");
  });
});
