import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiResponse } from "../../meta/exchange.ts";
import { errors, failure } from "../../meta/status.ts";
import { errorText } from "../../util/error-text.ts";
import { networkError } from "../../util/network-error.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";
import type { Start } from "../../streams/accept.ts";
import { addressNotAllowed } from "./global-unicast.ts";
import { divide } from "./path.ts";
import { backendOf, backendRequest, toAnswer } from "./proxy.ts";
import { localNode } from "./target.ts";

/**
 * Connects a client to a backend that speaks another protocol, such as WebSocket. Returns the backend's answer when it
 * refuses. @throws StatusError
 */
export async function proxyUpgrade(context: Context, target: Target): Promise<Start | ApiResponse> {
  const path = divide(context.request.path, target.resource.kind.namespaced);
  if (localNode(context, target) !== undefined)
    throw errors.badRequest("upgrade is not supported by nodes of this process");
  const backend = backendOf(context, target);
  const answer = await backend.upgrade(backendRequest(context, path, true)).catch((error: unknown) => {
    if (errorText(error) === addressNotAllowed) throw errors.badRequest(addressNotAllowed);
    throw failure(500, "", `error dialing backend: ${networkError(error)}`);
  });
  if (answer.isUpgraded) return ({ socket }) => join(socket, answer.socket, answer.response);
  const { statusCode: status = 0 } = answer.response;
  if (status >= 400) return toAnswer(context, answer.response, backend, path);
  answer.response.destroy();
  throw failure(500, "", `invalid upgrade response: status code ${status}`);
}

/** Sends the backend's answer, and passes bytes in both directions until either side ends. */
async function join(client: Duplex, backend: Duplex, { rawHeaders }: IncomingMessage): Promise<void> {
  const lines = ["HTTP/1.1 101 Switching Protocols"];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  const closed = new Promise<void>((resolve) => backend.once("close", resolve));
  client.once("close", () => backend.destroy());
  // As upstream, the connection ends with either direction: a client that has left may keep the other one open.
  backend.once("finish", () => backend.destroy());
  backend.once("close", () => client.end());
  if (client.destroyed) backend.destroy();
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  client.pipe(backend);
  backend.pipe(client);
  await closed;
}
