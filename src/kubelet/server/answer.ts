import type { ApiResponse } from "../../meta/exchange.ts";
import type { Metrics } from "../../util/metrics/metrics.ts";
import { metricsType } from "../../util/metrics/metrics.ts";

export type Answer = ApiResponse;

export function text(status: number, content: string): Answer {
  const headers = { "x-content-type-options": "nosniff" };
  const bytes = Buffer.from(content);
  return { status, headers, body: { type: "bytes", contentType: "text/plain; charset=utf-8", bytes } };
}

export function json(value: object): Answer {
  return { status: 200, headers: {}, body: { type: "object", value } };
}

export function scrape(metrics: Metrics): Answer {
  const bytes = Buffer.from(metrics.text());
  return { status: 200, headers: {}, body: { type: "bytes", contentType: metricsType, bytes } };
}

export const notFound: Answer = text(404, "404: Page Not Found");
export const methodNotAllowed: Answer = text(405, "405: Method Not Allowed");
