import { nodes } from "../../../api/core/node/schema.ts";
import { type CSINode, type CSINodeDriver, csiNodes } from "../../../api/storage/csi-node/schema.ts";
import { hasReason } from "../../../meta/status.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { NodeContext } from "../../node-context.ts";
import type { DriverInfo } from "./driver.ts";

const nodeIdAnnotation = "csi.volume.kubernetes.io/nodeid";
/** Leaves attaching to the controller (upstream `enableControllerAttachDetach`). */
const attachAnnotation = "volumes.kubernetes.io/controller-managed-attach-detach";
const maxTries = 5;

type Drivers = CSINode["spec"]["drivers"];

/** Returns the drivers with one added or replaced; the same list when nothing changes. */
export function withDriver(drivers: Drivers, name: string, info: DriverInfo): Drivers {
  const { nodeId, maxVolumes, topology } = info;
  const own: CSINodeDriver = {
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(topology).sort(),
    ...(maxVolumes > 0 && { allocatable: { count: maxVolumes } }),
  };
  const present = drivers.find((one) => one.name === name);
  return deepEqual(present, own) ? drivers : [...drivers.filter((one) => one.name !== name), own];
}

/** Returns the annotation with the driver's node ID; without one, the driver is removed. Undefined for no driver. */
export function withNodeId(
  text: string | undefined,
  driver: string,
  nodeId: string | undefined,
): string | undefined {
  const ids = new Map(Object.entries(parseIds(text)));
  if (nodeId === undefined) ids.delete(driver);
  else ids.set(driver, nodeId);
  return ids.size === 0 ? undefined : JSON.stringify(Object.fromEntries(ids));
}

function parseIds(text = "{}"): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {}; // Another client has broken the annotation, which is written again.
  }
}

/** Shows a driver in the node's objects (upstream `csi/nodeinfomanager`). @throws Error for another topology */
export async function showDriver(node: NodeContext, driver: string, info: DriverInfo): Promise<void> {
  await retrying(() => annotate(node, driver, info));
  await retrying(() => changeCsiNode(node, (drivers) => withDriver(drivers, driver, info)));
}

export async function hideDriver(node: NodeContext, driver: string): Promise<void> {
  await retrying(() =>
    changeCsiNode(node, (drivers) =>
      drivers.some(({ name }) => name === driver) ? drivers.filter(({ name }) => name !== driver) : drivers,
    ),
  );
  await retrying(() => annotate(node, driver, undefined));
}

async function annotate(node: NodeContext, driver: string, info: DriverInfo | undefined): Promise<void> {
  const client = node.client.of(nodes);
  const { metadata } = await client.get(node.name);
  const labels = info?.topology ?? {};
  for (const [key, value] of Object.entries(labels)) {
    const present = metadata.labels?.[key];
    if (present !== undefined && present !== value)
      throw new Error(
        `detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${present}"`,
      );
  }
  const ids = withNodeId(metadata.annotations?.[nodeIdAnnotation], driver, info?.nodeId) ?? null;
  const annotations = { [nodeIdAnnotation]: ids, [attachAnnotation]: "true" };
  const { resourceVersion } = metadata;
  await client.patch(node.name, { metadata: { resourceVersion, annotations, labels } }, { type: "merge" });
}

async function changeCsiNode(node: NodeContext, change: (drivers: Drivers) => Drivers): Promise<void> {
  const client = node.client.of(csiNodes);
  const present = await client.get(node.name).catch((error: unknown) => {
    // The node authorizer knows no object that does not exist.
    if (hasReason(error, "NotFound", "Forbidden")) return undefined;
    throw error;
  });
  const before = present?.spec.drivers ?? [];
  const drivers = change(before);
  if (present === undefined) {
    if (drivers.length === 0) return;
    const { uid = "" } = (await node.client.of(nodes).get(node.name)).metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: node.name, uid }];
    await client.create({ metadata: { name: node.name, ownerReferences }, spec: { drivers } });
    return;
  }
  if (drivers === before) return;
  // An entry is immutable: a changed one is removed first.
  const kept = before.filter((one) => drivers.includes(one));
  const cleared =
    kept.length === before.length ? present : await client.update({ ...present, spec: { drivers: kept } });
  if (kept.length < drivers.length) await client.update({ ...cleared, spec: { drivers } });
}

async function retrying(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !hasReason(error, "Conflict", "AlreadyExists")) throw error;
    }
  }
}
