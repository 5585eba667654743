import type { PolicyBackend } from "./backend.ts";
import { NftablesPolicyBackend, type NftablesPolicyOptions } from "./nftables/backend.ts";
import { policyObstacle } from "./nftables/obstacle.ts";

export interface ChoosePolicyBackendOptions extends NftablesPolicyOptions {
  /** The name of the backend for Services. */
  readonly services: string;
}

/** A chosen backend, or the reason for none. */
export interface ChosenPolicyBackend {
  readonly backend: PolicyBackend | undefined;
  readonly why: string;
  /** The way to enforce policies, where it is not the kernel's module. */
  readonly mend?: string;
}

/** Chooses the backend for policies, if this machine can enforce them. */
export async function choosePolicyBackend(options: ChoosePolicyBackendOptions): Promise<ChosenPolicyBackend> {
  const backend = new NftablesPolicyBackend(options);
  const obstacle =
    options.services === "nftables"
      ? await policyObstacle(options.host)
      : `connections by the ${options.services} proxy for Services have the node's address`;
  if (obstacle === undefined) return { backend, why: "nft works" };
  // Rules that a killed process left would stay as they are.
  await backend.close().catch(() => {});
  return { backend: undefined, why: obstacle };
}
