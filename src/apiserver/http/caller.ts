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
  const { CN, O } = certificate.subject as { readonly CN?: Attribute; readonly O?: Attribute };
  return {
    type: "connection",
    address,
    certificate: {
      // As in Go, the last of several names is the name.
      commonName: valuesOf(CN).at(-1) ?? "",
      organizations: valuesOf(O),
      fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}

/** An attribute of a subject: a list where it stands several times. */
type Attribute = string | readonly string[];

function valuesOf(attribute: Attribute | undefined): readonly string[] {
  if (attribute === undefined) return [];
  return typeof attribute === "string" ? [attribute] : attribute;
}
