import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Clock } from "../../util/clock.ts";

/** The greatest time until a connection is made (upstream's dialer). */
const timeoutMs = 30_000;

/** Opens a TCP connection to an IP address. Rejects with the network's error. */
export function dialTcp(clock: Clock, host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const timer = clock.after(timeoutMs, () =>
      socket.destroy(new Error(`dial tcp ${host.includes(":") ? `[${host}]` : host}:${port}: i/o timeout`)),
    );
    socket.once("error", reject).once("close", () => timer.cancel());
    socket.once("connect", () => {
      timer.cancel();
      socket.off("error", reject).on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

/** Starts TLS on a stream. The certificate is not verified: Pods have none that the cluster knows, as upstream. */
export function startTls(stream: Duplex): Duplex {
  const socket = connectTls({ socket: stream, rejectUnauthorized: false, minVersion: "TLSv1.2" });
  socket.on("error", () => stream.destroy());
  stream.once("close", () => socket.destroy());
  return socket;
}
