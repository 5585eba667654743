import { nthAddress, parseNetwork } from "../../util/ipv4.ts";
import { fieldsOf, isList } from "../../util/is-object.ts";

/** A network of the CNI plugin `bridge`, with the machine as its gateway. */
export interface BridgeNetwork {
  readonly bridge: string;
  /** The machine's address on the bridge. */
  readonly gateway: string;
  readonly podCIDR: string;
}

/** The largest description that is parsed, in UTF-16 units. */
const maxLength = 1024 * 1024;
const linkName = /^[\w.-]{1,15}$/;

/**
 * Returns the bridge of the Pods' network in containerd's description (`cniconfig` of its status), which contains each
 * plugin's configuration as JSON. Returns undefined for other networks.
 */
export function bridgeIn(description: string): BridgeNetwork | undefined {
  const { Networks: networks } = fieldsOf(parse(description));
  const plugins = items(networks)
    .map((network) => fieldsOf(fieldsOf(network)["Config"]))
    .flatMap(({ Plugins: list }) => items(list))
    .map((plugin) => fieldsOf(parse(text(fieldsOf(plugin)["Source"]))));
  const main = plugins.find(({ type }) => type !== "loopback");
  return main?.["type"] === "bridge" ? networkOf(main) : undefined;
}

/** Reports whether containerd's description of its configuration (`config` of its status) has cgroupfs as the driver. */
export function cgroupfsIn(description: string): boolean {
  const { containerd } = fieldsOf(parse(description));
  const { defaultRuntimeName, runtimes } = fieldsOf(containerd);
  const known = fieldsOf(runtimes);
  const name = text(defaultRuntimeName);
  if (!Object.hasOwn(known, name)) return false;
  return fieldsOf(fieldsOf(known[name])["options"])["SystemdCgroup"] !== true;
}

function networkOf(plugin: Readonly<Record<string, unknown>>): BridgeNetwork | undefined {
  const { bridge = "cni0", isGateway, isDefaultGateway, ipam } = plugin;
  const { type, ranges, subnet } = fieldsOf(ipam);
  // Older configurations have one range without a list.
  const [[range] = []] = items(ranges).map(items);
  const { subnet: inRange, gateway } = fieldsOf(range ?? ipam);
  const podCIDR = text(inRange ?? subnet);
  if (type !== "host-local" || (isGateway !== true && isDefaultGateway !== true)) return undefined;
  if (typeof bridge !== "string" || !linkName.test(bridge)) return undefined;
  try {
    const first = nthAddress(parseNetwork(podCIDR), 1);
    return { bridge, gateway: text(gateway) || first, podCIDR };
  } catch {
    return undefined; // Not a network of IPv4.
  }
}

function parse(json: string): unknown {
  if (json.length > maxLength) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function items(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
