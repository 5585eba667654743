import type { Host } from "../../host.ts";
import type { Place } from "./render.ts";

export interface PodBridgeOptions {
  readonly host: Host;
  readonly bridge: string;
  /** The machine's own address on the bridge. */
  readonly gateway: string;
  readonly serviceCIDR: string;
}

/** The settings of the Pods' bridge that packets need to pass the table's rules. */
export class PodBridge {
  readonly #options: PodBridgeOptions;

  constructor(options: PodBridgeOptions) {
    this.#options = options;
  }

  /**
   * Prepares the bridge and its ports, including those of new Pods, and returns the facts that the rules
   * depend on.
   */
  async prepare(): Promise<Pick<Place, "seesBridged" | "forwards">> {
    const { host, bridge } = this.#options;
    const seesBridged = host.sysctl("net/bridge/bridge-nf-call-iptables") !== undefined;
    const ports = await this.#portsWithoutHairpin();
    const commands = [
      // The host routes a packet before its address is translated, so it needs a route to the Pods.
      `route replace ${this.#route}`,
      ...(seesBridged ? [`link set dev ${bridge} type bridge nf_call_iptables 1`] : []),
      // A Pod that is the endpoint of its own call gets the packet back through its own port.
      ...ports.map((port) => `link set dev ${port} type bridge_slave hairpin on`),
    ];
    await host.run("ip", ["-batch", "-"], commands.map((command) => `${command}\n`).join(""));
    return { seesBridged, forwards: this.#forwards };
  }

  /**
   * Enables forwarding for the bridge, and with `loopback` connections from the host's loopback addresses to
   * Pods; called once the rules restrict both.
   */
  open({ loopback }: { readonly loopback: boolean }): void {
    const { host } = this.#options;
    host.setSysctl(this.#forwarding, "1");
    if (loopback && host.sysctl(this.#loopback) === "0") host.setSysctl(this.#loopback, "1");
  }

  /** Removes the route, the forwarding and the access from loopback addresses. The bridge's own settings disappear with the bridge. */
  async restore(): Promise<void> {
    const { host } = this.#options;
    await host.run("ip", ["route", "delete", ...this.#route.split(" ")]).catch(() => {});
    if (host.sysctl(this.#loopback) === "1") host.setSysctl(this.#loopback, "0");
    if (!this.#forwards && host.sysctl(this.#forwarding) !== undefined) host.setSysctl(this.#forwarding, "0");
  }

  get #route(): string {
    const { bridge, gateway, serviceCIDR } = this.#options;
    return `${serviceCIDR} dev ${bridge} src ${gateway}`;
  }

  get #forwarding(): string {
    return `net/ipv4/conf/${this.#options.bridge}/forwarding`;
  }

  get #loopback(): string {
    return `net/ipv4/conf/${this.#options.bridge}/route_localnet`;
  }

  /** Reports whether the whole machine forwards packets. */
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
