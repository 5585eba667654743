import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, inDefault, type Json, startBed } from "../server.suite.ts";

const pods = inDefault("pods");
const strategic = { headers: { "content-type": "application/strategic-merge-patch+json" } };

const spec = {
  initContainers: [
    { name: "init", image: "example.com/i", resources: { requests: { cpu: "1" } } },
    {
      name: "side",
      image: "example.com/s",
      restartPolicy: "Always",
      resources: { limits: { memory: "1Gi" } },
    },
  ],
  containers: [
    {
      name: "main",
      image: "example.com/m",
      resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { "example.com/gpu": "1" } },
    },
  ],
};

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
  await bed.make(pods, { metadata: { name: "a", labels: { of: "a" } }, spec });
});

const resize = (patch: Json) => bed.call("PATCH", `${pods}/a/resize`, patch, strategic);
const sized = (container: Json, list = "containers") => ({
  spec: { [list]: [{ name: list === "containers" ? "main" : "side", ...container }] },
});

describe("the sizes of a Pod", () => {
  test("can change, and nothing else can", async () => {
    const { status, body } = await resize({
      metadata: { labels: { of: "b" } },
      spec: {
        nodeName: "n",
        initContainers: [{ name: "side", resources: { limits: { memory: "2Gi" } } }],
        containers: [{ name: "main", image: "other", resources: { requests: { cpu: "2" } } }],
      },
    });
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({ generation: 2, labels: { of: "a" } });
    expect(body.spec).not.toHaveProperty("nodeName");
    expect(body.spec.initContainers[1].resources.limits).toEqual({ memory: "2Gi" });
    expect(body.spec.containers[0]).toMatchObject({
      image: "example.com/m",
      resources: { requests: { cpu: "2", memory: "1Gi" } },
    });
    expect((await bed.get(`${pods}/a/resize`)).body.spec).toEqual(body.spec);
  });

  test.each<readonly [what: string, patch: Json, message: string]>([
    [
      "another amount than of CPU and memory",
      sized({ resources: { limits: { "example.com/gpu": "2" }, requests: { "example.com/gpu": "2" } } }),
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
    [
      "a removed request",
      sized({ resources: { requests: { cpu: null } } }),
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    ],
    [
      "another policy",
      sized({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }),
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
    [
      "another policy of a sidecar",
      sized({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }, "initContainers"),
      "spec.initContainers[1]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable",
    ],
    [
      "one container more",
      { spec: { containers: [{ name: "more", image: "example.com/m" }] } },
      "spec.containers: Forbidden: containers may not be added or removed on resize",
    ],
    [
      "sizes of the whole Pod that are no CPU and memory",
      {
        spec: {
          resources: { requests: { "hugepages-2Mi": "2Mi", cpu: "2" }, limits: { "hugepages-2Mi": "2Mi" } },
        },
      },
      "spec: Forbidden: only cpu and memory resources are mutable at pod-level",
    ],
  ])("cannot change: %s", async (_, patch, message) => {
    const { status, body } = await resize(patch);
    expect([
      status,
      body.details?.causes?.map(({ field, message: text }: Json) => `${field}: ${text}`),
    ]).toEqual([422, [message]]);
  });

  test("keep its QoS class", async () => {
    await bed.make(pods, {
      metadata: { name: "b" },
      spec: { containers: [{ name: "main", image: "example.com/m" }] },
    });
    const asked = sized({ resources: { requests: { cpu: "1" } } });
    const { body } = await bed.call("PATCH", `${pods}/b/resize`, asked, strategic);
    expect(body.message).toContain("Pod QOS Class may not change as a result of resizing");
  });

  test("cannot change when the node of a running Pod does not support it", async () => {
    const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
    const containerStatus = { name: "main", state, ready: true, restartCount: 0, image: "m", imageID: "m" };
    const asked = sized({ resources: { requests: { cpu: "2" } } });
    await bed.patch(`${pods}/a/status`, { status: { containerStatuses: [containerStatus] } });
    expect((await resize(asked)).body.message).toContain("Pod running on node without support for resize");
    const told = { ...containerStatus, resources: { requests: { cpu: "1" } } };
    await bed.patch(`${pods}/a/status`, { status: { containerStatuses: [told] } });
    expect((await resize(asked)).status).toBe(200);
  });
});
