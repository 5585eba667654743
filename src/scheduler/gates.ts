import type { Pod } from "../api/core/pod/schema.ts";
import { yieldToSockets } from "../util/yield.ts";
import type { Plugin } from "./framework.ts";
import type { Profiles } from "./profiles.ts";

/** Asks PreEnqueue about Pods, and again when objects that a plugin reads may have changed its answer. */
export class Gates {
  readonly #profiles: Profiles;
  /** The Pods, by UID, that a PreEnqueue plugin keeps out because of objects that it reads. */
  readonly #gated = new Map<string, Pod>();
  #willOpen = false;

  constructor(profiles: Profiles) {
    this.#profiles = profiles;
  }

  /** Reports whether no plugin keeps the Pod out of the queue. */
  admits(pod: Pod): boolean {
    const { uid = "" } = pod.metadata;
    const gate = this.#gateOf(pod);
    if (gate === undefined) this.#gated.delete(uid);
    else if (gate.reads !== undefined) this.#gated.set(uid, pod);
    return gate === undefined;
  }

  /** Reports whether a plugin keeps the Pod out of the queue. Changes nothing. */
  isGated(pod: Pod): boolean {
    return this.#gateOf(pod) !== undefined;
  }

  /** Forgets a Pod that has changed. Reports whether the Pod was to be asked about again. */
  forget(uid: string): boolean {
    return this.#gated.delete(uid);
  }

  /** Hands gated Pods to `admit`, which asks about them again: once for all changes that arrive together. */
  async open(admit: (pod: Pod) => void): Promise<void> {
    if (this.#willOpen || this.#gated.size === 0) return;
    this.#willOpen = true;
    await yieldToSockets();
    this.#willOpen = false;
    for (const pod of this.#gated.values()) admit(pod);
  }

  /** The first plugin of the Pod's profile whose PreEnqueue keeps the Pod out. */
  #gateOf(pod: Pod): Plugin | undefined {
    const { plugins } = this.#profiles.of(pod);
    return plugins.find(({ plugin }) => plugin.preEnqueue?.(pod) !== undefined)?.plugin;
  }
}
