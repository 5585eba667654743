import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { errors } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import { networkError } from "../../util/network-error.ts";
import { SpdyConnection } from "../../streams/spdy/connection.ts";
import type { KubeletClient } from "./connect.ts";
import { joinHostPort, type KubeletLocation } from "./location.ts";
import { readError } from "./refusal.ts";

/** The greatest time until a kubelet has agreed to another protocol. It may have to ask its runtime first. */
const upgradeTimeoutMs = 60_000;

/** A kubelet, and the means to connect to it. */
export interface Kubelet {
  readonly client: KubeletClient;
  readonly clock: Clock;
  readonly location: KubeletLocation;
  readonly lookup?: LookupFunction | undefined;
  /** Decides if requests may be proxied to an address. Default: every address but loopback and link-local ones. */
  readonly isProxyable?: ((address: string) => boolean) | undefined;
}

/**
 * Opens a SPDY connection, which every version of the kubelet speaks. @throws StatusError when the kubelet cannot be
 * reached or refuses
 */
export async function connectSpdy(
  { client, clock, location }: Kubelet,
  path: string,
  protocol: string,
): Promise<SpdyConnection> {
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol };
  const answer = await client
    .upgrade({ location, method: "POST", path, headers, timeoutMs: upgradeTimeoutMs })
    .catch((error: unknown) => {
      const url = `https://${joinHostPort(location)}${path}`;
      throw errors.internal(`error sending request: Post "${url}": ${networkError(error)}`);
    });
  if (!answer.isUpgraded) {
    throw errors.internal(`unable to upgrade connection: ${await readError(answer.response)}`);
  }
  const { socket, response } = answer;
  const { upgrade = "", "x-stream-protocol-version": chosen = protocol } = response.headers;
  if (upgrade.toLowerCase() !== "spdy/3.1" || chosen !== protocol) {
    socket.destroy();
    throw errors.internal(
      `unable to upgrade connection: the kubelet answered with ${upgrade} ${String(chosen)}`,
    );
  }
  return start(socket, clock);
}

function start(socket: Duplex, clock: Clock): SpdyConnection {
  const connection = new SpdyConnection(socket, clock);
  // A kubelet that violates the protocol loses the connection, which ends its streams.
  connection.run().catch(() => {});
  return connection;
}
