import type { Draft } from "../../../meta/schema.ts";
import { defaultPodSpec } from "../../core/pod/spec-defaults.ts";
import type { StatefulSet } from "./schema.ts";

/** Defaults the partition only if the update strategy's type is absent, as upstream. */
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
