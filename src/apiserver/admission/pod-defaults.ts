import { type Pod, pods } from "../../api/core/v1/pod.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import type { AdmissionPlugin } from "./plugin.ts";

const graceSeconds = 300;

/** Pods bear an unreachable node for five minutes, unless they say otherwise (plugin `defaulttolerationseconds`). */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate({ operation, resource, subresource, object }) {
    if (operation === "DELETE" || resource.kind !== pods || subresource !== "" || object === undefined)
      return;
    const { spec } = object as unknown as Draft<Pod>;
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      const tolerated = spec.tolerations?.some(
        (one) =>
          (one.key === key || one.key === undefined) &&
          (one.effect === "NoExecute" || one.effect === undefined),
      );
      if (tolerated === true) continue;
      const toleration = {
        key,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: graceSeconds,
      } as const;
      (spec.tolerations ??= []).push(toleration);
    }
  },
};

/** The classes that every cluster has. */
const systemClasses: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** Fills in a Pod's priority from its class (plugin `priority`). */
export const priority: AdmissionPlugin = {
  name: "Priority",
  mutate({ operation, resource, subresource, object }) {
    if (operation !== "CREATE" || resource.kind !== pods || subresource !== "") return;
    const { spec, metadata } = object as unknown as Draft<Pod>;
    const { priorityClassName = "" } = spec;
    const value = priorityClassName === "" ? 0 : systemClasses[priorityClassName];
    if (value === undefined) {
      throw errors.forbidden(
        resource.name,
        metadata.name ?? "",
        `no PriorityClass with name ${priorityClassName} was found`,
      );
    }
    if (spec.priority !== undefined && spec.priority !== value) {
      const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
      throw errors.forbidden(resource.name, metadata.name ?? "", why);
    }
    spec.priority = value;
    spec.preemptionPolicy ??= "PreemptLowerPriority";
  },
};
