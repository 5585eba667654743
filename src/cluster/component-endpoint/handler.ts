import { answerHealth, type HealthCheck } from "../../apiserver/health.ts";
import { answerMetrics } from "../../apiserver/metrics.ts";
import { methodNotServed, respondStatus, value } from "../../apiserver/rest/respond.ts";
import { version } from "../../apiserver/version.ts";
import type { ApiRequest, ApiResponse, Handler } from "../../meta/exchange.ts";
import { errors, StatusError } from "../../meta/status.ts";
import type { Env } from "../../util/env.ts";
import type { Metrics } from "../../util/metrics/metrics.ts";
import type { Delegation } from "./delegation.ts";

const checks: readonly HealthCheck[] = [{ name: "ping", healthy: () => true }];

export interface ComponentHandlerOptions {
  readonly env: Env;
  readonly metrics: Metrics;
  readonly delegation: Delegation;
}

/** Answers a component's own endpoints: health, metrics and version. */
export function componentHandler({ env, metrics, delegation }: ComponentHandlerOptions): Handler {
  return async (request) => {
    try {
      await delegation.admit(request);
      return await answer(request, metrics);
    } catch (error) {
      if (error instanceof StatusError) return respondStatus(error.status);
      env.log.warn("a request failed", { path: request.path, error: String(error) });
      return respondStatus(errors.internal(error).status);
    }
  };
}

function answer({ method, path, query }: ApiRequest, metrics: Metrics): ApiResponse | Promise<ApiResponse> {
  if (method !== "GET" && method !== "HEAD") throw methodNotServed();
  const [first = "", second, ...more] = path.slice(1).split("/");
  if (more.length > 0) throw errors.noSuchPath();
  switch (first) {
    case "healthz":
    case "livez":
    case "readyz":
      return answerHealth(checks, first, second, query);
    case "metrics":
      if (second === undefined) return answerMetrics(metrics);
      throw errors.noSuchPath();
    case "version":
      if (second === undefined) return value(version);
      throw errors.noSuchPath();
    default:
      throw errors.noSuchPath();
  }
}
