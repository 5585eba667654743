import { readFileSync } from "node:fs";
import { defaultAddressTypes } from "../apiserver/nodes/location.ts";
import type { RemoteNodesOptions } from "../apiserver/nodes/remote-nodes.ts";
import { type Flags, listOf, UsageError } from "../cli/flags.ts";
import { errorText } from "../util/error-text.ts";

/** The flags for connections to kubelets, with upstream's names. */
export const kubeletClientFlags = {
  "kubelet-preferred-address-types": {
    type: "string",
    value: "LIST",
    default: defaultAddressTypes.join(","),
    help: "The addresses at which nodes of other processes are reached, in order of preference.",
  },
  "kubelet-certificate-authority": {
    type: "string",
    value: "FILE",
    help: "Certificates that sign those of kubelets; without it, kubelets are not verified, as upstream.",
  },
} as const;

/** The verification and the addresses of kubelets. */
export interface KubeletClientSetup extends Pick<RemoteNodesOptions, "addressTypes"> {
  /** PEM. */
  readonly authorities?: string | undefined;
}

/** @throws UsageError for an unknown type of address or an unreadable file */
export function kubeletClientOf(flags: Flags<typeof kubeletClientFlags>): KubeletClientSetup {
  const addressTypes = listOf(flags["kubelet-preferred-address-types"]);
  const unknown = addressTypes.find((type) => !defaultAddressTypes.includes(type));
  if (unknown !== undefined || addressTypes.length === 0) {
    const known = defaultAddressTypes.join(", ");
    throw new UsageError(`--kubelet-preferred-address-types must list some of ${known}`);
  }
  const file = flags["kubelet-certificate-authority"];
  return { addressTypes, ...(file !== undefined && { authorities: readAuthorities(file) }) };
}

function readAuthorities(file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  } catch (error) {
    throw new UsageError(`--kubelet-certificate-authority: ${errorText(error)}`);
  }
  throw new UsageError(`--kubelet-certificate-authority: ${file} holds no certificate`);
}
