import { RuntimeService } from "../rpc/generated/cri_pb.ts";
import { hasCode } from "../rpc/errors.ts";
import { every, sleep } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { errorText } from "../../util/error-text.ts";
import type { CriCalls } from "./calls.ts";
import { ownedBy, uidIn } from "./labels.ts";
import type { Listing } from "./listing.ts";

/** The interval at which changes are looked for (kubelet `plegRelistPeriod`). */
const relistMs = 1000;
/** The time after which events are requested again. */
const eventsAgainMs = 5000;

export interface FollowOptions {
  readonly env: Env;
  readonly calls: CriCalls;
  readonly listing: Listing;
  readonly owner: string;
  /** Takes the UID of a changed Pod. */
  readonly changed: (uid: string) => void;
}

/** Reports changed Pods until the signal fires, by listing, and by the runtime's events where it offers them. */
export async function follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  await Promise.all([followLists(options, signal), followEvents(options, signal)]);
}

async function followLists({ env, listing, changed }: FollowOptions, signal: AbortSignal): Promise<void> {
  let before: ReadonlyMap<string, string> | undefined;
  let isLost = false;
  await every(env.clock, relistMs, signal, async () => {
    try {
      const now = digest(await listing.look());
      for (const uid of changes(before ?? new Map(), now)) changed(uid);
      before = now;
      if (isLost) env.log.info("The container runtime answers again");
      isLost = false;
    } catch (error) {
      if (!isLost && !signal.aborted)
        env.log.warn("The container runtime does not answer", { error: errorText(error) });
      isLost = true;
    }
  });
}

/** Returns the states of each Pod's sandboxes and containers, as one text for each UID. */
function digest({ sandboxes, containers }: Awaited<ReturnType<Listing["look"]>>): Map<string, string> {
  const states = new Map<string, string>();
  for (const { id, state, labels } of [...sandboxes, ...containers]) {
    const uid = uidIn(labels);
    states.set(uid, `${states.get(uid) ?? ""}${id}:${state};`);
  }
  return states;
}

/** Returns the keys whose values differ. */
export function changes(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  const changed = [...now].flatMap(([uid, states]) => (before.get(uid) === states ? [] : [uid]));
  return [...changed, ...[...before.keys()].filter((uid) => !now.has(uid))];
}

/** Events only shorten the time until a change is noticed: a runtime without them is no error. */
async function followEvents(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { env, calls, owner, changed } = options;
  const mine = Object.entries(ownedBy(owner));
  while (!signal.aborted) {
    try {
      const events = calls.connection.stream(RuntimeService.method.getContainerEvents, {}, { signal });
      for await (const { podSandboxStatus: sandbox } of events) {
        const { labels = {}, metadata } = sandbox ?? {};
        const isMine = mine.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
        if (isMine && metadata !== undefined) changed(metadata.uid);
      }
    } catch (error) {
      if (hasCode(error, "Unimplemented")) return;
      env.log.debug("The container runtime's events ended", { error: errorText(error) });
    }
    await sleep(env.clock, eventsAgainMs, signal);
  }
}
