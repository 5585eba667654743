import type { BridgeNetwork } from "../kubelet/cri/cni-bridge.ts";
import type { Host } from "../network/host.ts";
import { parseNetwork } from "../util/ipv4.ts";
import type { Ranges } from "./ranges.ts";

type Ip = Pick<Host, "run">;

/**
 * Creates the bridge of a CNI network as its plugin would for the first Pod, which takes it over: Services' addresses are
 * routed to it before there is a Pod.
 */
export async function ensureBridge(host: Ip, { bridge, gateway, podCIDR }: BridgeNetwork): Promise<void> {
  const ip = (...args: readonly string[]) => host.run("ip", args);
  const exists = await ip("link", "show", "dev", bridge).then(
    () => true,
    () => false,
  );
  if (!exists) await ip("link", "add", bridge, "type", "bridge");
  await ip("address", "replace", `${gateway}/${parseNetwork(podCIDR).prefix}`, "dev", bridge);
  await ip("link", "set", bridge, "up");
}

/** Removes the cluster's own addresses from the bridge, and the bridge when no Pod of another agent uses it. */
export async function releaseBridge(host: Ip, { bridge }: BridgeNetwork, ranges: Ranges): Promise<void> {
  const ip = (...args: readonly string[]) => host.run("ip", args).catch(() => "");
  for (const address of [ranges.dnsAddress, ranges.apiServerIP])
    await ip("address", "delete", `${address}/32`, "dev", bridge);
  const ports = await ip("-brief", "link", "show", "master", bridge);
  if (ports.trim() === "") await ip("link", "delete", bridge);
}
