import { isAbsolute } from "node:path";
import type { Clock } from "../../util/clock.ts";
import { errorText } from "../../util/error-text.ts";
import { RpcConnection } from "../rpc/connection.ts";
import { Registration } from "../rpc/generated/pluginregistration_pb.ts";

/** A plugin's description of itself. */
export interface PluginInfo {
  /** e.g. `CSIPlugin` */
  readonly type: string;
  readonly name: string;
  /** The absolute path of the socket that serves the plugin's own API. */
  readonly endpoint: string;
  readonly versions: readonly string[];
}

export interface RegistrarOptions {
  readonly clock: Clock;
  readonly socket: string;
  readonly signal: AbortSignal;
}

/** A plugin only describes itself here. */
const maxMessageBytes = 64 << 10;
/** Upstream's `dialTimeoutDuration`. */
const deadlineMs = 10_000;

/** Asks a plugin about itself, lets `take` use it, and tells the plugin the result. @throws Error of either */
export async function registerPlugin(
  { clock, socket, signal }: RegistrarOptions,
  take: (plugin: PluginInfo) => Promise<void>,
): Promise<PluginInfo> {
  const connection = new RpcConnection({ clock, socket, maxMessageBytes });
  const { getInfo, notifyRegistrationStatus } = Registration.method;
  const notify = (status: { readonly pluginRegistered: boolean; readonly error: string }) =>
    connection.call(notifyRegistrationStatus, status, { deadlineMs, signal });
  try {
    const info = await connection.call(getInfo, {}, { deadlineMs, signal });
    const { type, name, supportedVersions: versions } = info;
    const plugin = { type, name, versions, endpoint: info.endpoint === "" ? socket : info.endpoint };
    try {
      if (!isAbsolute(plugin.endpoint)) throw new Error(`the endpoint is not absolute: ${plugin.endpoint}`);
      await take(plugin);
    } catch (error) {
      const message = `RegisterPlugin error -- plugin validation failed with err: ${errorText(error)}`;
      await notify({ pluginRegistered: false, error: message }).catch(() => {});
      throw error;
    }
    await notify({ pluginRegistered: true, error: "" });
    return plugin;
  } finally {
    connection.close();
  }
}
