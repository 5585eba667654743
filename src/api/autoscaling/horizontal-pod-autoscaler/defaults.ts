import type { Draft } from "../../../meta/schema.ts";
import { defaultMetric, ownAnnotations } from "./conversion.ts";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "./schema.ts";

const everything = { type: "Percent", value: 100, periodSeconds: 15 };

/** Permits four more Pods or twice as many, whichever is more. */
const scaleUp = (): Draft<HPAScalingRules> => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, { ...everything }],
});

/** Sets no stabilization window, because its default is a setting of the controller. */
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
