import type { ScriptShell } from "../script-shell.ts";
import type { Logger } from "../../../util/logger.ts";
import { linkName, linkPrefix } from "./link-name.ts";
import { runTool, quote } from "../shell.ts";
import { bindScript, hardwareAddress, releaseScript, removalScript, tableScript } from "./source-guard.ts";
import { nthAddress, type Network } from "../../../util/ipv4.ts";

/** The part of a bridge that Pods and their removal use. */
export type PodLinks = Pick<Bridge, "ensure" | "remove" | "insidePod" | "attach" | "detach" | "detachOthers">;

/** Pods without a network: each has its address on its own loopback, where nobody else reaches it. */
export const loopbackLinks: PodLinks = {
  ensure: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  insidePod: (_sandbox, address) => `link set lo up\naddr add ${address}/32 dev lo`,
  attach: () => "true",
  detach: () => "true",
  detachOthers: () => Promise.resolve(),
};

/** The Linux bridge that joins a node's Pods and the host, which is their gateway. */
export class Bridge {
  readonly name: string;
  readonly #network: Network;
  readonly #shell: ScriptShell;
  readonly #log: Logger;
  /** The addresses of Pods whose links are not attached yet, by sandbox. */
  readonly #addresses = new Map<string, string>();
  /** False where nft does not bind links to addresses. */
  #guards = false;

  constructor(name: string, network: Network, shell: ScriptShell, log: Logger) {
    if (!/^[\w.-]{1,15}$/.test(name))
      throw new Error(`Cannot use bridge ${name}: not a name of an interface`);
    this.name = name;
    this.#network = network;
    this.#shell = shell;
    this.#log = log;
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
    try {
      await this.#shell.run("guard the Pods' sources", nft(tableScript(this.name)));
      this.#guards = true;
    } catch (error) {
      this.#log.warn("Pods with CAP_NET_RAW can send with other Pods' addresses", { error: String(error) });
    }
  }

  async remove(): Promise<void> {
    const unguard = this.#guards ? `${nft(removalScript(this.name))} || true` : "true";
    await this.#shell.run(
      `remove bridge ${this.name}`,
      `ip link del ${this.name} 2>/dev/null || true\n${unguard}`,
    );
  }

  /**
   * Returns lines for `ip -batch` inside a new network namespace: they create the pair, with its far end in
   * `hostNamespace`. The hardware address is derived from the Pod's address, so that no stale ARP entry
   * exists for a reused address. `attach` binds the host's end to both.
   */
  insidePod(sandbox: string, address: string, hostNamespace: string): string {
    this.#addresses.set(sandbox, address);
    const mac = hardwareAddress(address);
    const peer = `peer name ${linkName(sandbox)} netns ${hostNamespace}`;
    return [
      "link set lo up",
      `link add eth0 address ${mac} type veth ${peer}`,
      `addr add ${address}/${this.#network.prefix} dev eth0`,
      "link set eth0 up",
      `route add default via ${this.gateway}`,
    ].join("\n");
  }

  /**
   * Returns the commands that add the pair's host end to the bridge, where only packets with the Pod's own
   * addresses pass it.
   */
  attach(sandbox: string): string {
    const link = linkName(sandbox);
    const address = this.#addresses.get(sandbox);
    this.#addresses.delete(sandbox);
    const join = `ip link set ${link} master ${quote(this.name)} up`;
    if (address === undefined || !this.#guards) return join;
    return `${nft(bindScript(this.name, link, address))}\n${join}`;
  }

  /** Returns the commands that remove the pair and its rules, if they exist. */
  detach(sandbox: string): string {
    this.#addresses.delete(sandbox);
    return this.#removeLink(linkName(sandbox));
  }

  /** Removes the links of sandboxes that no longer exist: a stale one would answer for a reused address. */
  async detachOthers(sandboxes: readonly string[]): Promise<void> {
    const known = new Set(sandboxes.map(linkName));
    const output = await runTool("list links", "ip", ["-json", "link", "show", "master", this.name]);
    const links = JSON.parse(output || "[]") as readonly { ifname?: string }[];
    for (const { ifname } of links) {
      if (ifname === undefined || !isLinkName(ifname) || known.has(ifname)) continue;
      await this.#shell.run(`remove link ${ifname}`, this.#removeLink(ifname));
    }
  }

  #removeLink(link: string): string {
    const remove = `ip link del ${link} 2>/dev/null || true`;
    return this.#guards ? `${remove}\n${nft(releaseScript(this.name, link))} 2>/dev/null || true` : remove;
  }
}

/** Returns the shell's command for a transaction of nft. */
function nft(script: string): string {
  return `printf '%s\\n' ${quote(script)} | nft -f -`;
}

function isLinkName(name: string): boolean {
  return name.startsWith(linkPrefix) && /^[0-9a-f]{12}$/.test(name.slice(linkPrefix.length));
}
