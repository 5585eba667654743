import type { Draft } from "../../meta/schema.ts";
import type { FlowSchema } from "./v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "./v1/priority-level-configuration.ts";

/** 0 counts as absent. */
export function defaultFlowSchema({ spec }: Draft<FlowSchema>): void {
  spec.matchingPrecedence ||= 1000;
}

/** 0 counts as absent. */
export function defaultPriorityLevel({ spec }: Draft<PriorityLevelConfiguration>): void {
  const queuing = spec.limited?.limitResponse.queuing;
  if (queuing === undefined) return;
  queuing.queues ||= 64;
  queuing.handSize ||= 8;
  queuing.queueLengthLimit ||= 50;
}
