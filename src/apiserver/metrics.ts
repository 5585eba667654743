import type { ApiResponse } from "../meta/exchange.ts";
import { type Metrics, metricsType } from "../util/metrics/metrics.ts";

/** Answers with the metrics of the process. */
export function answerMetrics(metrics: Metrics): ApiResponse {
  const bytes = Buffer.from(metrics.text());
  return { status: 200, headers: {}, body: { type: "bytes", contentType: metricsType, bytes } };
}
