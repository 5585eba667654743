import * as v2 from "./horizontal-pod-autoscaler/schema.ts";
import * as v1 from "./horizontal-pod-autoscaler/schema-v1.ts";
import { type Registration, serve } from "../../meta/strategy.ts";
import { toV1 } from "./horizontal-pod-autoscaler/conversion.ts";
import { olderStrategy, storedForm, strategy } from "./horizontal-pod-autoscaler/strategy.ts";

/** The group `autoscaling`, the preferred version first. */
export const autoscalingRegistrations: readonly Registration[] = [
  serve(v2.horizontalPodAutoscalers, strategy),
  serve(v1.horizontalPodAutoscalers, olderStrategy, {
    kind: v2.horizontalPodAutoscalers,
    stored: storedForm,
    shown: (stored) => toV1(stored),
  }),
];
