import type { Draft } from "../../../meta/schema.ts";
import { defaultPodSpec } from "../../core/pod/spec-defaults.ts";
import type { DaemonSet } from "./schema.ts";

export function defaultDaemonSet({ spec }: Draft<DaemonSet>): void {
  defaultPodSpec(spec.template.spec);
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= { maxUnavailable: 1, maxSurge: 0 };
  }
}
