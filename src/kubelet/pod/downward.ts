import type { Container } from "../../api/core/pod/container.ts";
import type { ResourceFieldSelector } from "../../api/core/pod/env.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../meta/quantity.ts";
import { RuntimeError } from "../runtime.ts";

/** The node's facts for the downward API. */
export interface NodeFacts {
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Returns a field of the Pod in the downward API's format (pkg/fieldpath). */
export function podField(pod: Pod, path: string, facts: NodeFacts): string {
  const { metadata, spec } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript !== null)
    return (subscript[1] === "labels" ? metadata.labels : metadata.annotations)?.[subscript[2] ?? ""] ?? "";
  switch (path) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return formatMap(metadata.labels);
    case "metadata.annotations":
      return formatMap(metadata.annotations);
    case "spec.nodeName":
      return spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.hostIP":
      return facts.hostIPs[0] ?? "";
    case "status.hostIPs":
      return facts.hostIPs.join(",");
    case "status.podIP":
      return facts.podIPs[0] ?? "";
    case "status.podIPs":
      return facts.podIPs.join(",");
    default:
      throw new RuntimeError("CreateContainerConfigError", `unsupported fieldPath: ${path}`);
  }
}

function formatMap(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}

/**
 * Resources whose missing limit defaults to the node's allocatable (component-helpers
 * `MergeContainerResourceLimits`).
 */
const limitedByNode: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Returns a limit or request of a container, in units of the divisor, rounded up. */
export function resourceField(
  pod: Pod,
  self: Container | undefined,
  selector: ResourceFieldSelector,
  facts: NodeFacts,
): string {
  const { containerName = "", resource, divisor } = selector;
  const { initContainers = [], containers } = pod.spec;
  const container =
    containerName === ""
      ? self
      : [...containers, ...initContainers].find(({ name }) => name === containerName);
  const [kind = "", name = ""] = resource.split(".", 2);
  if (container === undefined || (kind !== "limits" && kind !== "requests")) {
    throw new RuntimeError("CreateContainerConfigError", `unsupported container resource : ${resource}`);
  }
  const { limits = {}, requests = {} } = container.resources;
  const zero = parseQuantity("0");
  const isZero = (amount = "0") => compareQuantities(parseQuantity(amount), zero) === 0;
  const own = (kind === "requests" ? requests : limits)[name];
  const byNode = kind === "limits" && limitedByNode.has(name) && isZero(own);
  const text = (byNode ? facts.allocatable[name] : own) ?? "0";
  const asked: Quantity = divisor === undefined ? zero : parseQuantity(divisor);
  const unit = compareQuantities(asked, zero) === 0 ? parseQuantity("1") : asked;
  const value = parseQuantity(text).nanos;
  return String((value + unit.nanos - 1n) / unit.nanos);
}
