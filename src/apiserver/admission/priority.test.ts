import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, inDefault, podBody, startBed } from "../server.suite.ts";

const pods = inDefault("pods");
const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const addClass = (name: string, value: number, more: object = {}) =>
  bed.make(classes, { metadata: { name }, value, ...more });

describe("a Pod's priority", () => {
  test("is that of its class", async () => {
    await addClass("high", 1000, { preemptionPolicy: "Never" });
    const { spec } = await bed.make(pods, podBody("p", { spec: { priorityClassName: "high" } }));
    expect(spec).toMatchObject({ priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" });
  });

  test("is zero without a class, or that of the default", async () => {
    expect((await bed.make(pods, podBody("a"))).spec).toMatchObject({
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
    });
    await addClass("usual", 7, { globalDefault: true });
    const { spec } = await bed.make(pods, podBody("b"));
    expect(spec).toMatchObject({ priorityClassName: "usual", priority: 7 });
  });

  test.each([
    [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
    [
      { priority: 5 },
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
    ],
    [
      { preemptionPolicy: "Never" },
      "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name",
    ],
  ])("cannot be chosen freely: %j", async (spec, why) => {
    const { status, body } = await bed.post(pods, podBody("p", { spec }));
    expect(status).toBe(403);
    expect(body.message).toBe(`pods "p" is forbidden: ${why}`);
  });

  test("stays when an update omits it", async () => {
    await addClass("high", 1000);
    const pod = await bed.make(pods, podBody("p", { spec: { priorityClassName: "high" } }));
    const { priority: _, preemptionPolicy: __, ...spec } = pod.spec;
    const { body } = await bed.put(`${pods}/p`, { ...pod, spec });
    expect(body.spec).toMatchObject({ priority: 1000, preemptionPolicy: "PreemptLowerPriority" });
  });
});

test("only one class is the default", async () => {
  await addClass("usual", 7, { globalDefault: true });
  const { status, body } = await bed.post(classes, {
    metadata: { name: "b" },
    value: 1,
    globalDefault: true,
  });
  expect(status).toBe(403);
  expect(body.message).toContain(
    "PriorityClass usual is already marked as default. Only one default can exist",
  );
  expect((await bed.patch(`${classes}/usual`, { description: "x" })).status).toBe(200);
});

test("the system's classes cannot be deleted, others can", async () => {
  await addClass("system-node-critical", 2_000_001_000);
  await addClass("high", 1);
  const { body } = await bed.delete(`${classes}/system-node-critical`);
  expect(body.message).toContain("this is a system priority class and cannot be deleted");
  expect((await bed.delete(`${classes}/high`)).status).toBe(200);
});
