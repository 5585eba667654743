import { beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aPod } from "./builders.suite.ts";
import { ensureImageVolumes } from "./ensure-image.ts";

let events: string[];
let node: NodeContext;
const present = new Set<string>();

beforeEach(() => {
  events = [];
  const clock = new VirtualClock();
  present.clear();
  const images = {
    inspect: (name: string) => Promise.resolve(present.has(name) ? {} : undefined),
    pull: (name: string) =>
      name.includes("gone")
        ? Promise.reject(new Error("no such image"))
        : clock.advance(1500).then(() => ({ sizeBytes: 7 })),
  };
  const event = (about: { kind: string }, _: string, reason: string, message: string) =>
    events.push(`${about.kind} ${reason}: ${message}`);
  // Safe: nothing else of the node is used.
  node = nodeContext({ env: { clock }, runtime: { images }, events: { event } });
});

function ensure(image: object): Promise<void> {
  const volumes = [
    { name: "v", image },
    { name: "other", image: { reference: "gone", pullPolicy: "Always" } },
  ];
  const pod = aPod({ volumes, containers: [{ name: "a", volumeMounts: [{ name: "v", mountPath: "/v" }] }] });
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("no container");
  return ensureImageVolumes(node, pod, container);
}

test("the images that a container mounts are pulled for its Pod, and no others", async () => {
  await ensure({ reference: "data", pullPolicy: "IfNotPresent" });
  expect(events).toEqual([
    'Pod Pulling: Pulling image "data"',
    'Pod Pulled: Successfully pulled image "data" in 1.5s (1.5s including waiting). Image size: 7 bytes.',
  ]);
});

test("an image that is present is pulled only with Always", async () => {
  present.add("data");
  await ensure({ reference: "data", pullPolicy: "IfNotPresent" });
  expect(events).toEqual(['Pod Pulled: Container image "data" already present on machine']);
  await ensure({ reference: "data", pullPolicy: "Always" });
  expect(events).toContain('Pod Pulling: Pulling image "data"');
});

test.each([
  ["Never", "data", "ErrImageNeverPull", 'Container image "data" is not present with pull policy of Never'],
  ["Always", "gone", "ErrImagePull", "no such image"],
])(
  "with the policy %s, a missing image %s is the container's %s",
  async (pullPolicy, reference, reason, message) => {
    await expect(ensure({ reference, pullPolicy })).rejects.toMatchObject({ reason, message });
  },
);
