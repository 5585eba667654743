import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { errors } from "../meta/status.ts";

/** A connection that requests another protocol. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes after the request's head. */
  readonly head: Buffer;
  /** Undefined for an unsupported protocol. */
  readonly protocol: "websocket" | "spdy/3.1" | undefined;
}

/** Answers 101 with these headers and the chosen subprotocol, and serves the protocol until the end. */
export type Start = (connection: Upgrade, headers: Readonly<Record<string, string>>) => Promise<void> | void;

/** Returns the protocol that a request asks for; undefined for an unsupported one. */
export function protocolOf({ headers }: IncomingMessage): Upgrade["protocol"] {
  const asked = headers.upgrade?.toLowerCase();
  return asked === "websocket" || asked === "spdy/3.1" ? asked : undefined;
}

/** Returns the client's first supported choice. @throws StatusError in upstream's words without one. */
export function negotiate<T>(offered: string | undefined, known: ReadonlyMap<string, T>): [string, T] {
  const names = (offered ?? "").split(",").map((name) => name.trim());
  for (const name of names) {
    const found = known.get(name);
    if (found !== undefined) return [name, found];
  }
  throw errors.badRequest(
    `unable to upgrade: unable to negotiate protocol: client supports [${names.join(" ")}], server accepts [${[...known.keys()].join(" ")}]`,
  );
}
