import type { ApiResponse } from "../meta/exchange.ts";
import { errors } from "../meta/status.ts";
import type { Context } from "./context.ts";
import { aggregatedForm, aggregatedDiscovery } from "./discovery/aggregated.ts";
import { issuerConfiguration, issuerKeys } from "./discovery/issuer.ts";
import { groupList, groupOf, resourceList, versions } from "./discovery/legacy.ts";
import { healthChecks } from "./health.ts";
import { answerMetrics } from "./metrics.ts";
import { serveOpenApi } from "./openapi/serve.ts";
import { methodNotServed, value } from "./rest/respond.ts";
import { version } from "./version.ts";

/** Answers requests for paths without a resource, such as discovery and health. */
export function servePath(context: Context): ApiResponse | Promise<ApiResponse> {
  const { path } = context.info;
  const { method } = context.request;
  if (method !== "GET" && method !== "HEAD") {
    throw methodNotServed();
  }
  const parts = path.split("/").filter((part) => part !== "");
  const [first = "", second, third, ...more] = parts;
  if (path === "/.well-known/openid-configuration") return issuerConfiguration(context);
  if (path === "/openid/v1/jwks") return issuerKeys(context);
  if (first === "openapi") return serveOpenApi(context, parts.slice(1));
  if (more.length > 0) throw errors.noSuchPath();
  switch (first) {
    case "":
      return value({ paths: rootPaths(context) });
    case "version":
      return value(version);
    case "healthz":
    case "livez":
    case "readyz":
      return healthChecks(context, first, second);
    case "metrics": {
      const { metrics } = context.services.env;
      if (metrics === undefined || second !== undefined) throw errors.noSuchPath();
      return answerMetrics(metrics);
    }
    case "api":
      if (second === undefined) return discover(context, true) ?? value(versions(context));
      return value(resourceList(context, "", second));
    case "apis":
      if (second === undefined) return discover(context, false) ?? value(groupList(context));
      return value(third === undefined ? groupOf(context, second) : resourceList(context, second, third));
    default:
      throw errors.noSuchPath();
  }
}

function discover(context: Context, core: boolean): ApiResponse | undefined {
  const form = aggregatedForm(context.request.headers["accept"] ?? "");
  return form === undefined ? undefined : aggregatedDiscovery(context, core, form);
}

function rootPaths({ services }: Context): string[] {
  const paths = new Set([
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    ...(services.env.metrics === undefined ? [] : ["/metrics"]),
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
  ]);
  for (const { kind } of services.resources.all()) {
    if (kind.group === "") continue;
    paths.add(`/apis/${kind.group}`).add(`/apis/${kind.group}/${kind.version}`);
  }
  return [...paths].sort();
}
