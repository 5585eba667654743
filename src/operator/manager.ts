import { Client } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { type LeaderElectionOptions, runAsLeader } from "../client/leader-election.ts";
import type { Transport } from "../client/transport.ts";
import type { Env } from "../util/env.ts";
import { SharedInformers } from "./cache.ts";
import type { Controller } from "./controller.ts";
import { Runner } from "./runner.ts";

export interface ManagerOptions {
  /** The transport of the informers, the election and every controller without a transport of its own. */
  readonly transport: Transport;
  /** Returns a transport with an identity for one controller, so that each has the least privilege. */
  readonly transportFor?: (controller: string) => Transport;
  readonly env: Env;
  /** The field manager of the controllers' writes. Default: each controller's name. */
  readonly fieldManager?: string;
  /** The interval at which every object is handed to the controllers again. Default: never. */
  readonly resyncMs?: number;
  /** The lease to hold: the controllers run only while this process holds it. */
  readonly leaderElection?: Omit<LeaderElectionOptions, "client" | "env">;
}

/**
 * Runs controllers over one set of shared informers.
 *
 *     const manager = new Manager({ transport, env }).add(podCounter);
 *     await manager.run(signal);
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #controllers: { readonly controller: Controller; readonly transport: Transport }[] = [];

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Adds a controller. Call this before `run`. */
  add(controller: Controller, { transport }: { readonly transport?: Transport } = {}): this {
    const { transportFor } = this.#options;
    const chosen = transport ?? transportFor?.(controller.name) ?? this.#options.transport;
    this.#controllers.push({ controller, transport: chosen });
    return this;
  }

  /** Runs all controllers. Resolves once the signal has fired (or the lease is lost) and all controllers have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { leaderElection, transport, env } = this.#options;
    if (leaderElection === undefined) return this.#runControllers(signal);
    const client = new Client(transport);
    return runAsLeader({ ...leaderElection, client, env }, signal, (leading) =>
      this.#runControllers(leading),
    );
  }

  async #runControllers(signal: AbortSignal): Promise<void> {
    const { transport, env, resyncMs } = this.#options;
    const informers = new SharedInformers(new Client(transport), env, resyncMs);
    await Promise.all(
      this.#controllers.map((one) => this.#runController(one.controller, one.transport, informers, signal)),
    );
    await informers.ended();
  }

  async #runController(
    controller: Controller,
    transport: Transport,
    informers: SharedInformers,
    signal: AbortSignal,
  ): Promise<void> {
    const { env, fieldManager = controller.name } = this.#options;
    const client = new Client(transport, { fieldManager });
    const events = new EventRecorder(client, env, { component: controller.eventSource ?? controller.name });
    const runner = new Runner({ controller, client, informers, events, env });
    await Promise.all([runner.run(signal), events.run(signal)]);
  }
}
