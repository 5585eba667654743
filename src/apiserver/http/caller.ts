import type { TLSSocket } from "node:tls";
import type { Caller } from "../../meta/exchange.ts";

/** TLS data of a connection does not change, and is read once. */
const callers = new WeakMap<object, Caller>();

/**
 * Returns the caller that TLS identifies. An HTTP/2 session exposes its socket through a proxy that behaves
 * like one.
 */
export function callerOf(socket: object | undefined): Caller {
  if (socket === undefined) return { type: "connection", address: "" };
  const known = callers.get(socket);
  if (known !== undefined) return known;
  // Safe: the listener serves only TLS connections.
  const caller = describe(socket as TLSSocket);
  callers.set(socket, caller);
  return caller;
}

function describe(socket: TLSSocket): Caller {
  const address = socket.remoteAddress ?? "";
  const certificate = socket.getPeerCertificate();
  if (certificate.subject === undefined) return { type: "connection", address };
  if (!socket.authorized) return { type: "connection", address, certificate: "rejected" };
  const { CN, O } = certificate.subject;
  return {
    type: "connection",
    address,
    certificate: {
      // As in Go, the last of several names is used.
      commonName: valuesOf(CN).at(-1) ?? "",
      organizations: valuesOf(O),
      fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}

/** An attribute of a subject: a list when it occurs several times. */
type Attribute = string | readonly string[];

function valuesOf(attribute: Attribute | undefined): readonly string[] {
  if (attribute === undefined) return [];
  return typeof attribute === "string" ? [attribute] : attribute;
}
