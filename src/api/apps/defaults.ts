import type { Draft } from "../../meta/schema.ts";
import { defaultPodSpec } from "../core/pod/spec-defaults.ts";
import type { DaemonSet } from "./v1/daemon-set.ts";
import type { Deployment } from "./v1/deployment.ts";
import type { ReplicaSet } from "./v1/replica-set.ts";
import type { StatefulSet } from "./v1/stateful-set.ts";

export function defaultDeployment({ spec }: Draft<Deployment>): void {
  defaultPodSpec(spec.template.spec);
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= { maxUnavailable: "25%", maxSurge: "25%" };
  }
}

export function defaultReplicaSet({ spec }: Draft<ReplicaSet>): void {
  defaultPodSpec(spec.template.spec);
}

/** Only who leaves out the type gets a partition: upstream, too, tells the two apart. */
export function defaultStatefulSet({ spec }: Draft<StatefulSet>): void {
  defaultPodSpec(spec.template.spec);
  const typeMeta = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
  if (spec.volumeClaimTemplates !== undefined)
    spec.volumeClaimTemplates = spec.volumeClaimTemplates.map((claim) => ({ ...typeMeta, ...claim }));
  const { updateStrategy } = spec;
  if (updateStrategy.type === undefined) {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === "RollingUpdate" && updateStrategy.rollingUpdate !== undefined) {
    updateStrategy.rollingUpdate.partition ??= 0;
  }
}

export function defaultDaemonSet({ spec }: Draft<DaemonSet>): void {
  defaultPodSpec(spec.template.spec);
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= { maxUnavailable: 1, maxSurge: 0 };
  }
}
