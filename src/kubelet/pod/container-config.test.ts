import { expect, test } from "vitest";
import type { PreparedVolume } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { noVolumes } from "../simulated/no-volumes.ts";
import { aPod, aSandbox } from "./builders.suite.ts";
import { containerConfig } from "./container-config.ts";

const v: PreparedVolume = { path: "/host/v", readOnly: false };

function configOf(container: object, runtime: object = {}, volume = v) {
  const pod = aPod({ containers: [{ name: "a", ...container }] });
  const node = {
    runtime,
    volumes: noVolumes,
    addresses: { hostIPs: [] },
    allocatable: {},
    services: () => [],
  };
  const [first] = pod.spec.containers;
  if (first === undefined) throw new Error("no container");
  const options = { sandbox: aSandbox([]), volumes: new Map([["v", volume]]), attempt: 0 };
  // Safe: nothing else of the node is used.
  return containerConfig(nodeContext(node), pod, first, options);
}

const mount = (more: object) => ({ volumeMounts: [{ name: "v", mountPath: "/v", ...more }] });
const able = { mountsRecursivelyReadOnly: true };
const asked =
  'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but';

test.each<readonly [mount: object, runtime: object, result: boolean | string]>([
  [{}, able, false],
  [{ readOnly: true, recursiveReadOnly: "Disabled" }, able, false],
  [{ readOnly: true, recursiveReadOnly: "IfPossible" }, able, true],
  [{ readOnly: true, recursiveReadOnly: "IfPossible" }, {}, false],
  [{ readOnly: true, recursiveReadOnly: "Enabled" }, able, true],
  [{ readOnly: true, recursiveReadOnly: "Enabled" }, {}, `${asked} it is not supported by the runtime`],
  [{ recursiveReadOnly: "Enabled" }, able, `${asked} it is not read-only`],
  [
    { readOnly: true, recursiveReadOnly: "Enabled", mountPropagation: "HostToContainer" },
    able,
    `${asked} it is not compatible with propagation "HostToContainer"`,
  ],
])("the mount %j on %j is recursively read-only: %s", async (more, runtime, result) => {
  const config = configOf(mount(more), runtime);
  if (typeof result === "string") await expect(config).rejects.toThrow(result);
  else expect((await config).mounts[0]?.recursiveReadOnly === true).toBe(result);
});

test("block volumes become devices where the runtime maps them", async () => {
  const container = { volumeDevices: [{ name: "v", devicePath: "/dev/v" }] };
  await expect(configOf(container)).rejects.toThrow(
    "cannot map block volumes: this node's container runtime does not map devices",
  );
  const block = { ...v, isBlock: true } as const;
  expect((await configOf(container, { mapsDevices: true }, block)).devices).toEqual([
    { hostPath: "/host/v", containerPath: "/dev/v", readOnly: false },
  ]);
  await expect(configOf(container, { mapsDevices: true })).rejects.toThrow('"v" is not a block volume');
});

test("the group of a shared volume is a supplemental group of its containers", async () => {
  const { security } = await configOf(mount({}), {}, { ...v, group: 42 });
  expect(security.supplementalGroups).toEqual([42]);
});
