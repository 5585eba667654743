import type { Host } from "../../host.ts";
import type { Place } from "./render.ts";

export interface PodBridgeOptions {
  readonly host: Host;
  readonly bridge: string;
  /** The machine's own address on the bridge. */
  readonly gateway: string;
  readonly serviceCIDR: string;
}

/** The settings of the Pods' bridge without which packets would not meet the rules of a table. */
export class PodBridge {
  readonly #options: PodBridgeOptions;

  constructor(options: PodBridgeOptions) {
    this.#options = options;
  }

  /** Makes the way for packets, also of Pods that have come since the last time; gives what rules must know. */
  async prepare(): Promise<Pick<Place, "seesBridged" | "forwards">> {
    const { host, bridge } = this.#options;
    const seesBridged = host.sysctl("net/bridge/bridge-nf-call-iptables") !== undefined;
    const ports = await this.#portsWithoutHairpin();
    const commands = [
      // The host chooses a way before its packets are translated: they need one that leads to the Pods.
      `route replace ${this.#route}`,
      ...(seesBridged ? [`link set dev ${bridge} type bridge nf_call_iptables 1`] : []),
      // A Pod that is chosen for its own call gets it back through the port that it came in by.
      ...ports.map((port) => `link set dev ${port} type bridge_slave hairpin on`),
    ];
    await host.run("ip", ["-batch", "-"], commands.map((command) => `${command}\n`).join(""));
    return { seesBridged, forwards: this.#forwards };
  }

  /** Lets packets of Pods pass on: once rules say which. */
  open(): void {
    this.#options.host.setSysctl(this.#forwarding, "1");
  }

  /** Takes back what would change the way of packets; the bridge's own settings go with the bridge. */
  async restore(): Promise<void> {
    const { host } = this.#options;
    await host.run("ip", ["route", "delete", ...this.#route.split(" ")]).catch(() => {});
    if (!this.#forwards && host.sysctl(this.#forwarding) !== undefined) host.setSysctl(this.#forwarding, "0");
  }

  get #route(): string {
    const { bridge, gateway, serviceCIDR } = this.#options;
    return `${serviceCIDR} dev ${bridge} src ${gateway}`;
  }

  get #forwarding(): string {
    return `net/ipv4/conf/${this.#options.bridge}/forwarding`;
  }

  /** Whether the whole machine is a router. */
  get #forwards(): boolean {
    return this.#options.host.sysctl("net/ipv4/ip_forward") === "1";
  }

  async #portsWithoutHairpin(): Promise<readonly string[]> {
    const { host, bridge } = this.#options;
    const text = await host.run("ip", ["-json", "-details", "link", "show", "master", bridge]);
    const links = JSON.parse(text || "[]") as readonly {
      readonly ifname?: string;
      readonly linkinfo?: { readonly info_slave_data?: { readonly hairpin?: boolean } };
    }[];
    return links.flatMap(({ ifname, linkinfo }) =>
      ifname !== undefined && linkinfo?.info_slave_data?.hairpin === false ? [ifname] : [],
    );
  }
}
