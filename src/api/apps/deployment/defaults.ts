import type { Draft } from "../../../meta/schema.ts";
import { defaultPodSpec } from "../../core/pod/spec-defaults.ts";
import type { Deployment } from "./schema.ts";

export function defaultDeployment({ spec }: Draft<Deployment>): void {
  defaultPodSpec(spec.template.spec);
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= { maxUnavailable: "25%", maxSurge: "25%" };
  }
}
