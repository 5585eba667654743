import type { Pod } from "../../api/core/pod/schema.ts";
import type { Logger } from "../../util/logger.ts";
import type { Candidate } from "../framework.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Extender, Victims } from "./extender.ts";

export interface ExtendedPreemption {
  readonly snapshot: Snapshot;
  readonly log: Logger;
  /** Those that the Pod concerns and that take part in preemption. */
  readonly extenders: readonly Extender[];
}

/**
 * Returns the candidates that the extenders leave, with the victims that they choose; each is asked about what the one
 * before has left (`callExtenders` in scheduler `framework/preemption/preemption.go`).
 * @throws Error when an extender fails that is not ignorable
 */
export async function withExtenders(
  pod: Pod,
  candidates: readonly Candidate[],
  { snapshot, log, extenders }: ExtendedPreemption,
): Promise<readonly Candidate[]> {
  let left = candidates;
  for (const extender of extenders) {
    if (left.length === 0) break;
    try {
      left = candidatesOf(extender, await extender.preempt(pod, left), snapshot);
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      log.info("an extender was skipped", { extender: extender.url, error: String(error) });
    }
  }
  return left;
}

/** @throws Error when the extender names a node or a Pod that does not exist, or a node without a victim */
function candidatesOf(
  extender: Extender,
  chosen: ReadonlyMap<string, Victims>,
  snapshot: Snapshot,
): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const [name, { uids, violations }] of chosen) {
    const node = snapshot.node(name);
    if (node === undefined) throw new Error(`nodeinfo not found for node name ${JSON.stringify(name)}`);
    const victims = uids.map((uid) => node.pods.get(uid) ?? notThere(extender, uid, name));
    if (victims.length > 0) candidates.push({ node: name, victims, violations });
    else if (!extender.isIgnorable)
      throw new Error(`expected at least one victim pod on node ${JSON.stringify(name)}`);
  }
  return candidates;
}

function notThere({ url }: Extender, uid: string, node: string): never {
  throw new Error(
    `extender: ${url} claims to preempt pod (UID: ${uid}) on node: ${node}, but the pod is not found on that node`,
  );
}
