import type { ScriptShell } from "../script-shell.ts";
import { linkName, linkPrefix } from "./link-name.ts";
import { runTool, quote } from "../shell.ts";
import { nthAddress, type Network } from "../../../util/ipv4.ts";

/** The Linux bridge that joins a node's Pods and the host, which is their gateway. */
export class Bridge {
  readonly name: string;
  readonly #network: Network;
  readonly #shell: ScriptShell;

  constructor(name: string, network: Network, shell: ScriptShell) {
    if (!/^[\w.-]{1,15}$/.test(name))
      throw new Error(`Cannot use bridge ${name}: not a name of an interface`);
    this.name = name;
    this.#network = network;
    this.#shell = shell;
  }

  get gateway(): string {
    return nthAddress(this.#network, 1);
  }

  /** Creates the bridge unless it exists. */
  async ensure(): Promise<void> {
    const address = `${this.gateway}/${this.#network.prefix}`;
    await this.#shell.run(
      `make bridge ${this.name}`,
      `ip link show dev ${this.name} >/dev/null 2>&1 || ip link add ${this.name} type bridge
       ip addr replace ${address} dev ${this.name}
       ip link set ${this.name} up`,
    );
  }

  async remove(): Promise<void> {
    await this.#shell.run(`remove bridge ${this.name}`, `ip link del ${this.name} 2>/dev/null || true`);
  }

  /**
   * Returns lines for `ip -batch` inside a new network namespace: they create the pair, with its far end in
   * `hostNamespace`. The hardware address is derived from the Pod's address, so that no stale ARP entry
   * exists for a reused address.
   */
  insidePod(sandbox: string, address: string, hostNamespace: string): string {
    const mac = [
      "0a:58",
      ...address.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0")),
    ].join(":");
    const peer = `peer name ${linkName(sandbox)} netns ${hostNamespace}`;
    return [
      "link set lo up",
      `link add eth0 address ${mac} type veth ${peer}`,
      `addr add ${address}/${this.#network.prefix} dev eth0`,
      "link set eth0 up",
      `route add default via ${this.gateway}`,
    ].join("\n");
  }

  /** Returns the command that adds the pair's host end to the bridge. */
  attach(sandbox: string): string {
    return `ip link set ${linkName(sandbox)} master ${quote(this.name)} up`;
  }

  /** Returns the command that removes the pair, if it exists. */
  detach(sandbox: string): string {
    return `ip link del ${linkName(sandbox)} 2>/dev/null || true`;
  }

  /** Removes the links of sandboxes that no longer exist: a stale one would answer for a reused address. */
  async detachOthers(sandboxes: readonly string[]): Promise<void> {
    const known = new Set(sandboxes.map(linkName));
    const output = await runTool("list links", "ip", ["-json", "link", "show", "master", this.name]);
    const links = JSON.parse(output || "[]") as readonly { ifname?: string }[];
    for (const { ifname } of links) {
      if (ifname === undefined || !isLinkName(ifname) || known.has(ifname)) continue;
      await this.#shell.run(`remove link ${ifname}`, `ip link del ${ifname} 2>/dev/null || true`);
    }
  }
}

function isLinkName(name: string): boolean {
  return name.startsWith(linkPrefix) && /^[0-9a-f]{12}$/.test(name.slice(linkPrefix.length));
}
