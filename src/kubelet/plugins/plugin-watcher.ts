import { lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { every } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { errorText } from "../../util/error-text.ts";
import type { PluginInfo } from "./registrar.ts";

/** A part of the node agent that uses plugins of one type. */
export interface PluginHandler {
  /** Takes a new or restarted plugin. @throws Error that the plugin is told */
  register(plugin: PluginInfo, signal: AbortSignal): Promise<void>;
  /** Forgets a plugin whose socket is gone. */
  deregister(name: string): Promise<void>;
}

export interface PluginWatcherOptions {
  readonly env: Env;
  /** The directory of the sockets. Only root can write to it. */
  readonly directory: string;
  /** By type, e.g. `CSIPlugin`. */
  readonly handlers: ReadonlyMap<string, PluginHandler>;
}

/** The interval between two looks at the directory. */
const periodMs = 1000;
/** The first and the longest delay after a failed registration (upstream `goroutinemap/exponentialbackoff`). */
const firstRetryMs = 500;
const longestRetryMs = 122_000;
/** The greatest number of plugins of a node. */
const maxPlugins = 256;

/** A socket as it was seen last. */
interface Seen {
  /** Changes when a plugin makes its socket again. */
  readonly identity: string;
  readonly plugin: PluginInfo | undefined;
  readonly retryAt: number;
  readonly delayMs: number;
}

/** Registers and deregisters plugins as their sockets come and go (upstream `kubelet/pluginmanager`). */
export class PluginWatcher {
  readonly #options: PluginWatcherOptions;
  readonly #seen = new Map<string, Seen>();

  constructor(options: PluginWatcherOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { env, directory } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const look = async () => {
      try {
        await this.check(signal);
      } catch (error) {
        env.log.warn("Cannot look for plugins", { error: errorText(error) });
      }
    };
    await look();
    await every(env.clock, periodMs, signal, look);
  }

  /** Looks at the directory once. */
  async check(signal: AbortSignal): Promise<void> {
    const present = await this.#sockets();
    for (const [path, { plugin }] of this.#seen) {
      if (present.has(path)) continue;
      this.#seen.delete(path);
      if (plugin !== undefined) await this.#options.handlers.get(plugin.type)?.deregister(plugin.name);
    }
    for (const [path, identity] of present) if (!signal.aborted) await this.#follow(path, identity, signal);
  }

  async #follow(path: string, identity: string, signal: AbortSignal): Promise<void> {
    const { env } = this.#options;
    const seen = this.#seen.get(path);
    const isSame = seen?.identity === identity;
    if (isSame && (seen.plugin !== undefined || env.clock.monotonic() < seen.retryAt)) return;
    try {
      const plugin = await this.#register(path, signal);
      this.#seen.set(path, { identity, plugin, retryAt: 0, delayMs: 0 });
    } catch (error) {
      if (signal.aborted) return;
      const delayMs = isSame ? Math.min(seen.delayMs * 2, longestRetryMs) : firstRetryMs;
      const retryAt = env.clock.monotonic() + delayMs;
      this.#seen.set(path, { identity, plugin: undefined, retryAt, delayMs });
      env.log.warn("Cannot register a plugin", { path, error: errorText(error) });
    }
  }

  async #register(socket: string, signal: AbortSignal): Promise<PluginInfo> {
    // Loaded with the first plugin: most nodes have none.
    const { registerPlugin } = await import("./registrar.ts");
    const { env, handlers } = this.#options;
    return registerPlugin({ clock: env.clock, socket, signal }, async (plugin) => {
      const handler = handlers.get(plugin.type);
      if (handler === undefined) throw new Error(`no handler registered for plugin type: ${plugin.type}`);
      await handler.register(plugin, signal);
    });
  }

  /** Returns the identities of the sockets by path. Hidden files are a plugin's own. */
  async #sockets(): Promise<ReadonlyMap<string, string>> {
    const { directory } = this.#options;
    const found = new Map<string, string>();
    for (const name of (await readdir(directory)).sort()) {
      if (name.startsWith(".") || found.size === maxPlugins) continue;
      const path = join(directory, name);
      const stat = await lstat(path).catch(() => undefined);
      if (stat?.isSocket() === true) found.set(path, `${stat.ino} ${stat.ctimeMs}`);
    }
    return found;
  }
}
