import type { TLSSocket } from "node:tls";
import type { Caller } from "../../meta/exchange.ts";

/** What TLS knows of a connection does not change: it is read once. */
const callers = new WeakMap<object, Caller>();

/** Who is at the other end, as far as TLS knows. An HTTP/2 session shows its socket through a proxy that answers like one. */
export function callerOf(socket: object | undefined): Caller {
  if (socket === undefined) return { type: "connection", address: "" };
  const known = callers.get(socket);
  if (known !== undefined) return known;
  const caller = describe(socket as TLSSocket);
  callers.set(socket, caller);
  return caller;
}

function describe(socket: TLSSocket): Caller {
  const address = socket.remoteAddress ?? "";
  const certificate = socket.getPeerCertificate();
  if (certificate.subject === undefined) return { type: "connection", address };
  if (!socket.authorized) return { type: "connection", address, certificate: "rejected" };
  const { CN, O = [] } = certificate.subject as { CN?: string; O?: string | string[] };
  return {
    type: "connection",
    address,
    certificate: {
      commonName: CN ?? "",
      organizations: Array.isArray(O) ? O : [O],
      fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}
