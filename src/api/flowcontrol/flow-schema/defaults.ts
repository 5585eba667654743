import type { Draft } from "../../../meta/schema.ts";
import type { FlowSchema } from "./schema.ts";

/** A precedence of 0 counts as absent. */
export function defaultFlowSchema({ spec }: Draft<FlowSchema>): void {
  spec.matchingPrecedence ||= 1000;
}
