import type { Column } from "../../../meta/strategy.ts";
import { column, containerColumns, integer, labelsText, nameColumn, wide } from "../../printing.ts";
import type { ComponentStatus } from "../v1/component-status.ts";
import type { ConfigMap } from "../v1/config-map.ts";
import type { Namespace } from "../v1/namespace.ts";
import type { PodTemplate } from "../v1/pod-template.ts";
import type { ReplicationController } from "../v1/replication-controller.ts";
import type { ResourceQuota } from "../v1/resource-quota.ts";
import type { Secret } from "../v1/secret.ts";

/** Columns that need no thought: each shows a field or two. */

const size = (map: object = {}): number => Object.keys(map).length;

export const namespaceColumns: readonly Column<Namespace>[] = [
  column("Status", "Whether the namespace is being deleted.", ({ status }) => status.phase ?? ""),
];

export const configMapColumns: readonly Column<ConfigMap>[] = [
  column("Data", "How many keys there are.", ({ data, binaryData }) => size(data) + size(binaryData)),
];

export const secretColumns: readonly Column<Secret>[] = [
  column("Type", "What the keys mean.", ({ type }) => type ?? ""),
  column("Data", "How many keys there are.", ({ data }) => size(data)),
];

export const podTemplateColumns: readonly Column<PodTemplate>[] = [
  nameColumn,
  ...containerColumns<PodTemplate>(({ template }) => template.spec.containers).map((one) => ({
    ...one,
    priority: 0,
  })),
  column("Pod Labels", "Labels of the Pods.", ({ template }) => labelsText(template.metadata.labels)),
];

export const replicationControllerColumns: readonly Column<ReplicationController>[] = [
  integer("Desired", "How many Pods are wanted.", ({ spec }) => spec.replicas ?? 0),
  integer("Current", "How many Pods there are.", ({ status }) => status.replicas),
  integer("Ready", "How many Pods are ready.", ({ status }) => status.readyReplicas ?? 0),
  ...containerColumns<ReplicationController>(({ spec }) => spec.template?.spec.containers ?? []),
  wide(column("Selector", "Labels of the Pods.", ({ spec }) => labelsText(spec.selector))),
];

function conditionOf({ conditions = [] }: ComponentStatus) {
  return conditions.find(({ type }) => type === "Healthy");
}

export const componentStatusColumns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  column("Status", "Whether the component is healthy.", (component) => {
    const condition = conditionOf(component);
    if (condition === undefined) return "Unknown";
    return condition.status === "True" ? "Healthy" : "Unhealthy";
  }),
  column("Message", "More about its health.", (component) => conditionOf(component)?.message ?? ""),
  column("Error", "The code of an error.", (component) => conditionOf(component)?.error ?? ""),
];

/** `cpu: 1/4`, for resources that are limits or for those that are not. */
function usageText({ status: { hard = {}, used = {} } }: ResourceQuota, limits: boolean): string {
  return Object.keys(hard)
    .filter((resource) => resource.startsWith("limits.") === limits)
    .sort()
    .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource] ?? "0"}`)
    .join(", ");
}

export const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
  column("Request", "What is used, of how much, beside limits.", (quota) => usageText(quota, false)),
  column("Limit", "The sum of limits, of how much.", (quota) => usageText(quota, true)),
];
