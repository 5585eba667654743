import { once } from "node:events";
import { createConnection } from "node:net";
import type { Duplex } from "node:stream";
import { errorText } from "../../util/error-text.ts";
import { RuntimeError } from "../runtime.ts";
import { encodeOperations } from "./init-plan.ts";
import { connectJob, type JobContext } from "./connect-job.ts";

export interface DialPlan {
  /** The pin of a network namespace. */
  readonly namespace: string;
  readonly port: number;
  /** A name that no other session has. */
  readonly name: string;
}

/**
 * Connects to a port on the loopback of a network namespace, by a process in it that passes on the bytes: Node cannot enter a
 * namespace itself. @throws RuntimeError `Unavailable` when the port is closed.
 */
export async function dialNamespace(
  { namespace, port, name }: DialPlan,
  context: JobContext,
): Promise<Duplex> {
  const plan = encodeOperations([
    ["enter", namespace],
    ["forward", context.sessions.path, name, String(port)],
  ]);
  const { connection, outcome } = await connectJob(name, plan, context);
  if (connection !== undefined) {
    connection.socket.unshift(connection.start);
    return connection.socket;
  }
  const ended = await outcome;
  throw unavailable(port, ended.what === "failed" ? ended.why : "its process ended");
}

/** Connects to a port on this machine's loopback. @throws RuntimeError `Unavailable` */
export async function dialHere(port: number): Promise<Duplex> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return socket;
  } catch (error) {
    throw unavailable(port, errorText(error));
  }
}

function unavailable(port: number, why: string): RuntimeError {
  return new RuntimeError("Unavailable", `Cannot connect to port ${port}: ${why}`);
}
