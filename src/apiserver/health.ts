import type { ApiResponse } from "../meta/exchange.ts";
import { errors } from "../meta/status.ts";
import { StoreFailedError } from "../store/errors.ts";
import type { Context } from "./context.ts";

/** A named part of a server's health. */
export interface HealthCheck {
  readonly name: string;
  readonly healthy: () => boolean | Promise<boolean>;
}

const checksOf = ({ services }: Context, endpoint: string): readonly HealthCheck[] => [
  { name: "ping", healthy: () => true },
  { name: "store", healthy: () => storeWorks(services, endpoint) },
  { name: "watch-cache", healthy: () => services.hub.running },
];

/** A server whose store refuses writes is alive but not ready: a restart frees no space on a full disk. */
async function storeWorks(services: Context["services"], endpoint: string): Promise<boolean> {
  try {
    await services.store.probe();
    return true;
  } catch (error) {
    return endpoint !== "readyz" && error instanceof StoreFailedError;
  }
}

/** Answers the API server's `/healthz`, `/livez` and `/readyz`. */
export function healthChecks(
  context: Context,
  endpoint: string,
  only: string | undefined,
): Promise<ApiResponse> {
  return answerHealth(checksOf(context, endpoint), endpoint, only, context.request.query);
}

/** Answers with a server's health, with `?verbose`, `?exclude=` and one check by name (apiserver `server/healthz`). */
export async function answerHealth(
  checks: readonly HealthCheck[],
  endpoint: string,
  only: string | undefined,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const excluded = new Set(query.getAll("exclude"));
  const chosen = only === undefined ? checks : checks.filter(({ name }) => name === only);
  if (chosen.length === 0) throw errors.noSuchPath();
  const lines: string[] = [];
  let failed = false;
  for (const { name, healthy } of chosen) {
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok`);
    } else if (await healthy()) {
      lines.push(`[+]${name} ok`);
    } else {
      failed = true;
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  if (failed) return text(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  return text(200, query.has("verbose") ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok");
}

function text(status: number, body: string): ApiResponse {
  const bytes = Buffer.from(body);
  const headers = { "x-content-type-options": "nosniff" };
  return { status, headers, body: { type: "bytes", contentType: "text/plain; charset=utf-8", bytes } };
}
