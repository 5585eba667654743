import type { Pod } from "../api/core/pod/schema.ts";
import type { Plugin } from "./framework.ts";

export interface BindingCycle {
  readonly pod: Pod;
  readonly node: string;
  /** The plugins, in the order of the profile. */
  readonly plugins: readonly Plugin[];
  readonly signal: AbortSignal;
}

/** A plugin has kept a Pod from being bound. The Pod backs off, and is tried again. */
export class BindingRefused extends Error {
  override readonly name = "BindingRefused";
}

/** Has all plugins reserve what the Pod needs. @throws BindingRefused when one cannot; then nothing is reserved */
export function reserve({ pod, node, plugins }: Omit<BindingCycle, "signal">): void {
  for (const plugin of plugins) {
    const reason = plugin.reserve?.(pod, node);
    if (reason === undefined) continue;
    unreserve({ pod, node, plugins });
    throw new BindingRefused(`running Reserve plugin "${plugin.name}": ${reason}`);
  }
}

/** Gives back what was reserved, the last plugin first. */
export function unreserve({ pod, node, plugins }: Omit<BindingCycle, "signal">): void {
  for (const plugin of plugins.toReversed()) plugin.unreserve?.(pod, node);
}

/**
 * Permit, PreBind, Bind and PostBind of a Pod for which everything is reserved. `bindByDefault` binds a Pod that no
 * plugin binds. After a failure, what was reserved is given back. @throws BindingRefused, or the error of a plugin
 */
export async function runBindingCycle(
  cycle: BindingCycle,
  bindByDefault: () => Promise<void>,
): Promise<void> {
  const { pod, node, plugins, signal } = cycle;
  try {
    await Promise.all(plugins.map((plugin) => waitForPermit(plugin, cycle)));
    for (const plugin of plugins) await plugin.preBind?.(pod, node, signal);
    if (!(await isBoundBy(cycle))) await bindByDefault();
  } catch (error) {
    unreserve(cycle);
    throw error;
  }
  for (const plugin of plugins) plugin.postBind?.(pod, node);
}

async function waitForPermit(plugin: Plugin, { pod, node, signal }: BindingCycle): Promise<void> {
  const reason = await plugin.permit?.(pod, node, signal);
  if (reason !== undefined) throw new BindingRefused(`running Permit plugin "${plugin.name}": ${reason}`);
}

async function isBoundBy({ pod, node, plugins, signal }: BindingCycle): Promise<boolean> {
  for (const plugin of plugins) if ((await plugin.bind?.(pod, node, signal)) === true) return true;
  return false;
}
