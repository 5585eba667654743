import type { Draft } from "../../../meta/schema.ts";
import type { LimitRange } from "./schema.ts";

/**
 * Container limits default to the maximum. Container requests default to the default limit, otherwise to the
 * minimum.
 */
export function defaultLimitRange({ spec }: Draft<LimitRange>): void {
  for (const item of spec.limits) {
    if (item.type !== "Container") continue;
    const limits = { ...item.max, ...item.default };
    const requests = { ...item.min, ...limits, ...item.defaultRequest };
    if (Object.keys(limits).length > 0) item.default = limits;
    if (Object.keys(requests).length > 0) item.defaultRequest = requests;
  }
}
