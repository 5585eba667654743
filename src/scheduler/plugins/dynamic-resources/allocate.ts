import type { Node } from "../../../api/core/node/schema.ts";
import type { NodeSelector, NodeSelectorRequirement } from "../../../api/core/v1/scheduling.ts";
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
} from "../../../api/resource/resource-claim/schema.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { Choice, Slot, WantedClaim, WantedDevices } from "./requests.ts";
import { Search, type SearchInput } from "./search.ts";

/**
 * Allocates devices for claims on a node; undefined when there are not enough. `newShareId` makes the UUID of a share of
 * a device. @throws AllocationError when a claim, a class or a pool does not allow it, AllocationTimeout when it takes too
 * much work
 */
export function allocate(
  input: SearchInput,
  newShareId: () => string,
): readonly AllocationResult[] | undefined {
  if (input.claims.length === 0) return [];
  return new Search(input).run()?.map((one) => resultOf(one, input.node, newShareId));
}

function resultOf(one: WantedClaim, node: Node, newShareId: () => string): AllocationResult {
  const config = [...classConfiguration(one.slots), ...claimConfiguration(one)];
  const nodeSelector = selectorOf(one.chosen, node);
  return {
    devices: {
      ...(one.chosen.length === 0
        ? {}
        : { results: one.chosen.map((choice) => deviceOf(choice, newShareId)) }),
      ...(config.length === 0 ? {} : { config }),
    },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function deviceOf(
  { wanted, device, consumed }: Choice,
  newShareId: () => string,
): DeviceRequestAllocationResult {
  const { driver, pool } = device.slice.spec;
  const { bindingConditions, bindingFailureConditions } = device.device;
  const { tolerations } = wanted.spec;
  return {
    request: wanted.fullName,
    driver,
    pool: pool.name,
    device: device.device.name,
    ...(wanted.hasAdminAccess ? { adminAccess: true } : {}),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(bindingConditions === undefined ? {} : { bindingConditions }),
    ...(bindingFailureConditions === undefined ? {} : { bindingFailureConditions }),
    ...(consumed === undefined ? {} : { shareID: newShareId() }),
    ...(consumed === undefined || Object.keys(consumed).length === 0 ? {} : { consumedCapacity: consumed }),
  };
}

const chosenOf = ({ alternatives, chosen }: Slot): WantedDevices | undefined => alternatives[chosen];

/** The configuration of each class, once, for all requests of the class. */
function classConfiguration(slots: readonly Slot[]): readonly DeviceAllocationConfiguration[] {
  const byClass = Map.groupBy(
    slots.flatMap((slot) => chosenOf(slot) ?? []),
    ({ deviceClass }) => deviceClass,
  );
  return [...byClass].flatMap(([{ spec }, wanted]) => {
    const requests = wanted.map(({ fullName }) => fullName);
    return (spec.config ?? []).map((config) => ({ source: "FromClass" as const, requests, ...config }));
  });
}

/** The claim's configuration for the chosen alternatives, once for each request that it names. */
function claimConfiguration({ claim, slots }: WantedClaim): readonly DeviceAllocationConfiguration[] {
  return (claim.spec.devices.config ?? []).flatMap((config) => {
    const { requests = [] } = config;
    const uses = slots.filter(
      (slot) => chosenOf(slot)?.names.some((name) => requests.includes(name)) === true,
    );
    const times = requests.length === 0 ? 1 : uses.length;
    return Array.from({ length: times }, () => ({ source: "FromClaim" as const, ...config }));
  });
}

/** The nodes that can access all devices; undefined for all nodes. */
function selectorOf(chosen: readonly Choice[], node: Node): NodeSelector | undefined {
  const [fields, expressions]: [NodeSelectorRequirement[], NodeSelectorRequirement[]] = [[], []];
  for (const { device } of chosen) {
    const { spec } = device.slice;
    const { nodeName, nodeSelector } = spec.perDeviceNodeSelection === true ? device.device : spec;
    if (nodeName !== undefined || device.device.bindsToNode === true) return only(node);
    for (const { matchFields = [], matchExpressions = [] } of nodeSelector?.nodeSelectorTerms ?? []) {
      addNew(fields, matchFields);
      addNew(expressions, matchExpressions);
    }
  }
  if (fields.length + expressions.length === 0) return undefined;
  const term = {
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
    ...(fields.length === 0 ? {} : { matchFields: fields }),
  };
  return { nodeSelectorTerms: [term] };
}

function only({ metadata: { name = "" } }: Node): NodeSelector {
  const byName = { key: "metadata.name", operator: "In" as const, values: [name] };
  return { nodeSelectorTerms: [{ matchFields: [byName] }] };
}

function addNew(to: NodeSelectorRequirement[], from: readonly NodeSelectorRequirement[]): void {
  for (const one of from) if (!to.some((present) => isSame(present, one))) to.push(one);
}

function isSame(a: NodeSelectorRequirement, b: NodeSelectorRequirement): boolean {
  const [left, right] = [a, b].map(({ values = [] }) => [...new Set(values)].toSorted());
  return a.key === b.key && a.operator === b.operator && deepEqual(left, right);
}
