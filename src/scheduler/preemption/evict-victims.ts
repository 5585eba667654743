import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { Client } from "../../client/client.ts";
import type { EventSink } from "../../client/event-recorder.ts";
import { hasReason } from "../../meta/status.ts";
import { formatTime } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";

export interface EvictOptions {
  readonly client: Client;
  readonly events: EventSink;
  readonly env: Env;
  /** The `schedulerName` that the condition of the victims names. */
  readonly scheduler: string;
}

/** The reason of the condition `DisruptionTarget` of victims. */
export const preempted = "PreemptionByScheduler";

/** Deletes the victims of a Pod, each with the condition that says why. @throws when one cannot be deleted */
export async function evictVictims(
  preemptor: Pod,
  nodeName: string,
  victims: readonly Pod[],
  { client, events, env, scheduler }: EvictOptions,
): Promise<void> {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: preempted,
    message: `${scheduler}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: formatTime(env.clock.now()),
  };
  await Promise.all(
    victims.map(async (victim) => {
      const { name = "", namespace, uid = "", deletionTimestamp } = victim.metadata;
      if (deletionTimestamp !== undefined) return;
      const own = client.of(pods, namespace);
      try {
        await own.patch(
          name,
          { metadata: { uid }, status: { conditions: [condition] } },
          { type: "strategic", subresource: "status" },
        );
        await own.delete(name, { preconditions: { uid } });
      } catch (error) {
        if (hasReason(error, "NotFound", "Conflict")) return;
        throw error;
      }
      const message = `Preempted by pod ${preemptor.metadata.uid} on node ${nodeName}`;
      events.event(victim, "Normal", "Preempted", message);
    }),
  );
}
