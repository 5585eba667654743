import { ObjectReference } from "../../api/core/v1/reference.ts";
import { int64, list, messages, type Out, pointer, quantity, required, time } from "../../meta/schema.ts";

/**
 * The fields that are read of the answers of the custom and the external metrics API (k8s.io/metrics). Both versions of
 * custom metrics differ in the name of the window.
 */
const message = messages("io.k8s.metrics.pkg.apis.custom_metrics");

const window = "The number of seconds that the value is computed over.";

const MetricValue = message("MetricValue", "The value of one metric.", {
  describedObject: required(
    1,
    ObjectReference,
    "The object that the metric is about, unless it is external.",
  ),
  timestamp: required(3, time, "The time of the measurement."),
  windowSeconds: pointer(4, int64, window),
  window: pointer(0, int64, window),
  value: required(5, quantity, "The value."),
});

export const MetricValueList = message("MetricValueList", "The values of one metric.", {
  items: required(2, list(MetricValue), "The values."),
});
export type MetricValueList = Out<typeof MetricValueList>;
