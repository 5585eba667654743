import type { Pod } from "../api/core/pod/schema.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import type { Env } from "../util/env.ts";
import { Decider } from "./decide/decider.ts";
import type { Handle, Profile, WeightedPlugin } from "./framework.ts";
import type { Snapshot } from "./snapshot.ts";

/** The parts of one profile of a running scheduler. */
export interface RunningProfile {
  readonly plugins: readonly WeightedPlugin[];
  readonly decider: Decider;
  readonly events: EventRecorder;
}

export interface ProfilesOptions {
  readonly env: Env;
  readonly snapshot: Snapshot;
  /** The part of the scheduler that the plugins of all profiles may use. */
  readonly handle: Omit<Handle, "events">;
}

/** The profiles of a running scheduler, by the `schedulerName` of their Pods (scheduler `profile/profile.go`). */
export class Profiles {
  readonly #byName: ReadonlyMap<string, RunningProfile>;

  constructor(profiles: ReadonlyMap<string, Profile>, { env, snapshot, handle }: ProfilesOptions) {
    const own: Handle = { ...handle, events: (pod) => this.of(pod).events };
    this.#byName = new Map(
      [...profiles].map(([name, profile]) => {
        const plugins = profile(own);
        const decider = new Decider({ plugins, snapshot, random: env.random });
        return [name, { plugins, decider, events: new EventRecorder(own.client, env, { component: name }) }];
      }),
    );
  }

  all(): readonly RunningProfile[] {
    return [...this.#byName.values()];
  }

  /** Reports whether the Pod names one of the profiles. */
  includes({ spec }: Pod): boolean {
    return this.#byName.has(spec.schedulerName ?? "");
  }

  /** The profile of a Pod. @throws TypeError when it names none of the profiles */
  of({ spec }: Pod): RunningProfile {
    const profile = this.#byName.get(spec.schedulerName ?? "");
    if (profile === undefined) throw new TypeError(`there is no profile ${spec.schedulerName}`);
    return profile;
  }
}
