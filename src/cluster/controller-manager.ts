import type { Transport } from "../client/transport.ts";
import { controllers, type ControllersOptions, garbageCollector } from "../controllers/controllers.ts";
import { GarbageCollector } from "../controllers/garbage-collector/garbage-collector.ts";
import { allByDefault, isSelected } from "../controllers/selection.ts";
import { Manager } from "../operator/manager.ts";
import type { Env } from "../util/env.ts";

export interface ControllerManagerOptions extends Omit<ControllersOptions, "clock"> {
  readonly env: Env;
  /** The transport of the shared informers. */
  readonly transport: Transport;
  /** Returns the transport of a controller, by the name of its ServiceAccount. */
  readonly transportFor: (name: string) => Transport;
}

/** Runs the built-in controllers that are selected, until the signal fires. */
export async function runControllers(
  { env, transport, transportFor, ...options }: ControllerManagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({ env, transport, transportFor });
  for (const one of controllers({ ...options, clock: env.clock })) manager.add(one);
  const running = [manager.run(signal)];
  if (isSelected(options.selection ?? allByDefault, garbageCollector)) {
    const collector = new GarbageCollector({ env, transport: transportFor("generic-garbage-collector") });
    running.push(collector.run(signal));
  }
  await Promise.all(running);
}
