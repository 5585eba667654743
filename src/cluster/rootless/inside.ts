import { networkInterfaces } from "node:os";
import type { Host } from "../../network/host.ts";
import { isInUserNamespace } from "../../util/own-ids.ts";

/** True if this process is root in an ordinary user's namespaces, started there by `native/init/rootless.c`. */
export const isRootless = process.env["KNARR_ROOTLESS"] !== undefined && isInUserNamespace;

/**
 * Returns the descriptor of the socket that listens in the machine's network for the API server; undefined when this process
 * is in that network itself. @throws Error with the code of why it cannot listen
 */
export function outsideListener(): number | undefined {
  if (!isRootless) return undefined;
  const { KNARR_LISTENER: listener, KNARR_LISTEN_ERROR: code } = process.env;
  if (listener !== undefined) return Number(listener);
  throw Object.assign(new Error(`cannot listen: ${code}`), { code });
}

/** Returns the socket of the relay into the machine's network; undefined when this process is in that network itself. */
export function relaySocket(): string | undefined {
  return isRootless ? process.env["KNARR_RELAY"] : undefined;
}

const link = "node0";
/** The node's own address, in none of the ranges of a cluster. */
const address = "10.0.2.100";

/** Gives the node an address, as a machine with a network card has one. The link ends in the same namespace. */
export async function prepareRootlessHost(host: Pick<Host, "run">): Promise<void> {
  if (!isRootless || networkInterfaces()[link] !== undefined) return;
  const peer = `${link}-peer`;
  await host.run(
    "ip",
    ["-batch", "-"],
    `link add ${link} type veth peer name ${peer}
address add ${address}/32 dev ${link}
link set ${peer} up
link set ${link} up
`,
  );
}
