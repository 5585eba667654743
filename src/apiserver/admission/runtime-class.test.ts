import { beforeEach, expect, test } from "vitest";
import { type Bed, inDefault, podBody, startBed } from "../server.suite.ts";

const classes = "/apis/node.k8s.io/v1/runtimeclasses";
const overhead = { podFixed: { cpu: "500m", memory: "16Mi" } };
const key = "kind";
const scheduling = {
  nodeSelector: { runtime: "box" },
  tolerations: [{ key, operator: "Exists", effect: "NoSchedule" }],
};

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
  await bed.make(classes, { metadata: { name: "box" }, handler: "box", overhead, scheduling });
  await bed.make(classes, { metadata: { name: "plain" }, handler: "plain" });
});

const create = (spec: object) => bed.post(inDefault("pods"), podBody("a", { spec }));

/** The tolerations that the server adds to every Pod. */
const everywhere = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((name) => ({
  key: name,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

test("a Pod gets its class's overhead, node labels and tolerations", async () => {
  const given = { nodeSelector: { zone: "a" } };
  const { status, body } = await create({ runtimeClassName: "box", ...given });
  expect(status).toBe(201);
  expect(body.spec).toMatchObject({
    overhead: overhead.podFixed,
    nodeSelector: { zone: "a", runtime: "box" },
    tolerations: [...everywhere, ...scheduling.tolerations],
  });
});

test("a Pod of an empty class is not changed", async () => {
  const { body } = await create({ runtimeClassName: "plain" });
  for (const field of ["overhead", "nodeSelector"]) expect(body.spec).not.toHaveProperty(field);
});

test.each<readonly [what: string, given: object, kept: readonly object[]]>([
  ["the same", scheduling.tolerations[0] ?? {}, [...scheduling.tolerations, ...everywhere]],
  ["a narrower one", { key, value: "x", effect: "NoSchedule" }, [...everywhere, ...scheduling.tolerations]],
  ["a wider one", { key, operator: "Exists" }, [{ key, operator: "Exists" }, ...everywhere]],
  ["one of all keys", { operator: "Exists" }, [{ operator: "Exists" }]],
  [
    "another",
    { key, operator: "Exists", effect: "NoExecute" },
    [{ key, operator: "Exists", effect: "NoExecute" }, ...everywhere, ...scheduling.tolerations],
  ],
])("of a Pod's tolerations and those of its class, %s counts once", async (_, given, kept) => {
  const { body } = await create({ runtimeClassName: "box", tolerations: [given] });
  expect(body.spec.tolerations).toEqual(kept);
});

test.each([
  [{ runtimeClassName: "ghost" }, 'pod rejected: RuntimeClass "ghost" not found'],
  [
    { runtimeClassName: "box", overhead: { cpu: "1" } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    { runtimeClassName: "plain", overhead: { cpu: "1" } },
    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
  [
    { overhead: { cpu: "1" } },
    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
  [
    { runtimeClassName: "box", nodeSelector: { runtime: "other" } },
    "conflict: runtimeClass.scheduling.nodeSelector[runtime] = box; pod.spec.nodeSelector[runtime] = other",
  ],
])("a Pod with %j is refused", async (spec, why) => {
  const { status, body } = await create(spec);
  expect(status).toBe(403);
  expect(body.message).toBe(`pods "a" is forbidden: ${why}`);
  expect((await bed.get(`${inDefault("pods")}/a`)).status).toBe(404);
});

test("an overhead with equal quantities in another form is accepted", async () => {
  const { status, body } = await create({
    runtimeClassName: "box",
    overhead: { cpu: "0.5", memory: "16384Ki" },
  });
  expect([status, body.spec.overhead]).toEqual([201, overhead.podFixed]);
});
