import type { Draft } from "../../../meta/schema.ts";
import { defaultMetric, ownAnnotations } from "./conversion.ts";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "./schema.ts";

const everything = { type: "Percent", value: 100, periodSeconds: 15 };

/** As fast as ever: at least four Pods, or twice as many. */
const scaleUp = (): Draft<HPAScalingRules> => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, { ...everything }],
});

/** How long to wait before scaling down is the controller's own setting. */
const scaleDown = (): Draft<HPAScalingRules> => ({ selectPolicy: "Max", policies: [{ ...everything }] });

export function defaultHorizontalPodAutoscaler({ metadata, spec }: Draft<HorizontalPodAutoscaler>): void {
  const annotations = ownAnnotations(metadata.annotations);
  if (annotations === undefined) delete metadata.annotations;
  else metadata.annotations = { ...annotations };
  spec.metrics ??= [structuredClone(defaultMetric)];
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = { ...scaleUp(), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...scaleDown(), ...spec.behavior.scaleDown };
}
