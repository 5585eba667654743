import { type Registration, serve } from "../../meta/strategy.ts";
import { nodeMetricsColumns, podMetricsColumns } from "./printer.ts";
import { nodeMetrics, podMetrics } from "./schema.ts";

/** The group `metrics.k8s.io`, which a server of its own serves beside upstream's API server: metrics-server. */
export const metricsRegistrations: readonly Registration[] = [
  serve(nodeMetrics, { columns: nodeMetricsColumns }),
  serve(podMetrics, { columns: podMetricsColumns }),
];
