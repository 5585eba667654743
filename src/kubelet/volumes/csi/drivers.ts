import type { NodeContext } from "../../node-context.ts";
import type { PluginHandler } from "../../plugins/plugin-watcher.ts";
import type { PluginInfo } from "../../plugins/registrar.ts";
import type { CsiDriver } from "./driver.ts";
import { hideDriver, showDriver } from "./node-objects.ts";

/** CSI's form of a driver's name; it becomes a directory's name. */
const namePattern = /^[a-zA-Z0-9](?:[-a-zA-Z0-9.]{0,61}[a-zA-Z0-9])?$/;

/** The CSI drivers that are registered with the node. */
export class CsiDrivers implements PluginHandler {
  readonly #node: NodeContext;
  readonly #drivers = new Map<string, CsiDriver>();

  constructor(node: NodeContext) {
    this.#node = node;
  }

  /** @throws Error in upstream's words for a driver that is not registered */
  get(name: string): CsiDriver {
    const driver = this.#drivers.get(name);
    if (driver === undefined)
      throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    return driver;
  }

  async register({ name, endpoint, versions }: PluginInfo, signal: AbortSignal): Promise<void> {
    if (!namePattern.test(name))
      throw new Error(`invalid CSI driver name: ${JSON.stringify(name.slice(0, 100))}`);
    if (!versions.some((version) => /^v?1\.\d+\.\d+$/.test(version)))
      throw new Error(`none of the versions specified ${JSON.stringify(versions)} are supported`);
    const { CsiDriver } = await import("./driver.ts");
    const driver = new CsiDriver(name, endpoint, this.#node.env.clock);
    try {
      await showDriver(this.#node, name, await driver.info(signal));
    } catch (error) {
      driver.close();
      throw error;
    }
    this.#drivers.get(name)?.close();
    this.#drivers.set(name, driver);
    this.#node.env.log.info("a CSI driver is registered", { driver: name });
  }

  async deregister(name: string): Promise<void> {
    this.#drivers.get(name)?.close();
    this.#drivers.delete(name);
    await hideDriver(this.#node, name);
  }

  close(): void {
    for (const driver of this.#drivers.values()) driver.close();
    this.#drivers.clear();
  }
}
