import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { PodAddress } from "../../meta/node-endpoint.ts";
import { errorText } from "../../util/error-text.ts";

/** Where a port-forward goes. */
export interface Forward {
  readonly pod: PodAddress;
  readonly dial: (port: number) => Promise<Duplex>;
}

/**
 * Joins a client's stream to a port until the port has nothing more to say, or either side breaks off. Resolves with
 * what went wrong at the port, in words for the client; undefined when nothing did.
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
    // Clients hang up once the port has: nobody waits for what they might still send.
    await pipeline(target, client);
    client.unpipe(target).resume();
    return undefined;
  } catch (error) {
    if (isHangUp(error)) return undefined;
    return `error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${errorText(error)}`;
  } finally {
    client.off("close", hangUp);
    hangUp();
  }
}

/** The client has gone, or has reset its stream: nothing went wrong at the port. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** A port's number; undefined for anything else. */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}
