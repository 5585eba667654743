import type { Draft } from "../../../meta/schema.ts";
import type { PriorityLevelConfiguration } from "./schema.ts";

/** Shares of 0 count as absent. */
export function defaultPriorityLevel({ spec }: Draft<PriorityLevelConfiguration>): void {
  const queuing = spec.limited?.limitResponse.queuing;
  if (queuing === undefined) return;
  queuing.queues ||= 64;
  queuing.handSize ||= 8;
  queuing.queueLengthLimit ||= 50;
}
