/** Thrown when a metric gives no number of replicas. The message is upstream's. Later readings may give one. */
export class MetricError extends Error {
  override readonly name = "MetricError";
}
