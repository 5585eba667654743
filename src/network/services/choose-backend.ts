import type { Env } from "../../util/env.ts";
import type { HostAddresses } from "../host-addresses.ts";
import type { ServiceBackend } from "./backend.ts";
import { NftablesBackend } from "./nftables/backend.ts";
import { nftablesObstacle } from "./nftables/obstacle.ts";
import type { PodBridgeOptions } from "./nftables/pod-bridge.ts";
import { machineAddresses } from "./node-addresses.ts";
import { UserspaceBackend } from "./userspace.ts";

export interface ChooseBackendOptions extends PodBridgeOptions {
  readonly env: Env;
  readonly addresses: Pick<HostAddresses, "add" | "remove" | "holds">;
}

/** A chosen backend, with the reason for the user. */
export interface ChosenBackend {
  readonly backend: ServiceBackend;
  readonly why: string;
}

/** Chooses the best backend that this machine supports. */
export async function chooseBackend(options: ChooseBackendOptions): Promise<ChosenBackend> {
  const nftables = new NftablesBackend(options);
  const obstacle = await nftablesObstacle(options.host);
  if (obstacle === undefined) return { backend: nftables, why: "nft works" };
  // Rules that a killed process left would intercept connections to the userspace listeners.
  await nftables.close().catch(() => {});
  const { addresses, bridge } = options;
  const nodeAddresses = () => machineAddresses(bridge, (address) => addresses.holds(address));
  return { backend: new UserspaceBackend({ ...options, nodeAddresses }), why: `no nftables: ${obstacle}` };
}
