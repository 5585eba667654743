import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { PodAddress } from "../meta/node-endpoint.ts";
import { errorText } from "../util/error-text.ts";

/** An error at a port, as the Pod's node describes it to clients. */
export class NodePortError extends Error {
  override readonly name = "NodePortError";
}

/** The target of a port-forward. */
export interface Forward {
  readonly pod: PodAddress;
  readonly dial: (port: number) => Promise<Duplex>;
}

/**
 * Connects a client's stream to a port until the port has ended its output, or either side disconnects.
 * Resolves to the error at the port, in words for the client; undefined without an error.
 */
export async function forwardOne(
  { pod, dial }: Forward,
  port: number,
  client: Duplex,
): Promise<string | undefined> {
  let target: Duplex | undefined;
  const hangUp = () => target?.destroy();
  client.once("close", hangUp);
  try {
    target = await dial(port);
    target.on("error", () => {});
    if (client.destroyed) hangUp();
    client.pipe(target);
    // Clients close after the port has: data that they still send is dropped.
    await pipeline(target, client);
    client.unpipe(target).resume();
    return undefined;
  } catch (error) {
    if (isHangUp(error)) return undefined;
    if (error instanceof NodePortError) return error.message;
    return `error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${errorText(error)}`;
  } finally {
    client.off("close", hangUp);
    hangUp();
  }
}

/** Reports whether the client has disconnected or reset its stream, which is no error of the port. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** Parses a port's number; undefined when it is invalid. */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}
