import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn, orNone, wide } from "../../printing.ts";
import type { Node } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

function statusText({ spec, status }: Node): string {
  const ready = findCondition(status.conditions, "Ready");
  const text = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesText({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return orNone([...new Set(roles.filter((role) => role !== ""))].sort().join(","));
}

function addressText({ status }: Node, wanted: string): string {
  return orNone(status.addresses?.find(({ type }) => type === wanted)?.address);
}

function kernelText({ status }: Node): string {
  const { kernelVersion, architecture } = status.nodeInfo;
  return (kernelVersion || "<unknown>") + (architecture === "" ? "" : ` (${architecture})`);
}

export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  column("Status", "The node's readiness, and whether it is cordoned.", statusText),
  column("Roles", "The node's roles, from its labels.", rolesText),
  ageColumn,
  column("Version", "The kubelet's version.", ({ status }) => status.nodeInfo.kubeletVersion),
  wide(column("Internal-IP", "The first internal address.", (node) => addressText(node, "InternalIP"))),
  wide(column("External-IP", "The first external address.", (node) => addressText(node, "ExternalIP"))),
  wide(
    column(
      "OS-Image",
      "The name of the operating system's distribution.",
      ({ status }) => status.nodeInfo.osImage || "<unknown>",
    ),
  ),
  wide(column("Kernel-Version", "The kernel's version and the architecture.", kernelText)),
  wide(
    column(
      "Container-Runtime",
      "The container runtime.",
      ({ status }) => status.nodeInfo.containerRuntimeVersion || "<unknown>",
    ),
  ),
];
