import type { ApiRequest, ApiResponse } from "../../meta/exchange.ts";
import { accessRequest, requireAccess } from "../authz/access-request.ts";
import type { Context } from "../context.ts";
import type { ListenerOptions } from "../http/listener.ts";
import type { ResourceRequest } from "../request-info.ts";
import type { ApiServer } from "../server.ts";
import { protocolOf, type Start, type Upgrade } from "../../streams/accept.ts";
import { acceptAttach, acceptExec } from "./exec.ts";
import { acceptPortForward } from "./port-forward.ts";
import { writeRaw } from "../../streams/raw-response.ts";
import { acceptBody } from "./web-socket-body.ts";

/** Takes connections that request WebSocket or SPDY through the chain, and then serves the protocol. */
export function upgradeHandler(server: ApiServer): ListenerOptions["upgrade"] {
  return (request, socket, head, exchange) => {
    // A broken connection is no error of the server; without a listener it would end the process.
    socket.on("error", () => socket.destroy());
    upgrade(server, { request, socket, head, protocol: protocolOf(request) }, exchange).catch(
      (error: unknown) => {
        server.services.env.log.warn("an upgraded connection failed", { error: String(error) });
        socket.destroy();
      },
    );
  };
}

async function upgrade(server: ApiServer, connection: Upgrade, exchange: ApiRequest): Promise<void> {
  let start: Start | undefined;
  const response = await server.handle(exchange, async (context, next) => {
    const proxied = proxying(server, context);
    if (proxied !== undefined) {
      const accepted = await proxied();
      if (typeof accepted !== "function") return accepted;
      start = accepted;
      return switching;
    }
    const accept = accepting(context);
    if (accept === undefined) {
      const plain = await next();
      start = connection.protocol === "websocket" ? acceptBody(context, plain) : undefined;
      return start === undefined ? plain : switching;
    }
    start = accept(context, connection);
    return switching;
  });
  if (connection.socket.destroyed) return;
  if (response.status !== switching.status || start === undefined)
    await writeRaw(connection.socket, response);
  else await start(connection, response.headers);
}

const switching: ApiResponse = { status: 101, headers: {}, body: { type: "empty" } };

const acceptors = { exec: acceptExec, attach: acceptAttach, portforward: acceptPortForward };

/** Returns the streams of a Pod; undefined for every other request, which is answered without an upgrade. */
function accepting(context: Context): ((context: Context, connection: Upgrade) => Start) | undefined {
  const { resource } = context.info;
  const isConnect = context.request.method === "GET" || context.request.method === "POST";
  if (resource === undefined || !isConnect || !isStreaming(resource)) return undefined;
  return (context, connection) => {
    // WebSocket uses GET, but runs a command as SPDY's POST does (upstream issue 133515).
    requireAccess(context, { ...accessRequest(context), verb: "create" });
    return acceptors[resource.subresource](context, connection);
  };
}

/** Returns the means to connect a request of a `proxy` subresource to its backend; undefined for other requests. */
function proxying(
  { upgrades }: ApiServer,
  context: Context,
): (() => Promise<Start | ApiResponse>) | undefined {
  const { resource: asked } = context.info;
  if (asked === undefined || asked.name === "" || context.info.verb === "watch") return undefined;
  const { group, version, resource: plural, namespace, name, subresource } = asked;
  const resource = context.services.resources.find(group, version, plural);
  const accept = upgrades.get(`${resource?.storageName}/${subresource}`);
  if (resource === undefined || accept === undefined) return undefined;
  if (resource.kind.namespaced !== (namespace !== "")) return undefined;
  return () => accept(context, { resource, namespace, name, subresource });
}

type Streaming = ResourceRequest & { readonly subresource: keyof typeof acceptors };

function isStreaming(request: ResourceRequest): request is Streaming {
  const { group, version, resource, namespace, name, subresource } = request;
  const isPod = group === "" && version === "v1" && resource === "pods" && namespace !== "" && name !== "";
  return isPod && Object.hasOwn(acceptors, subresource);
}
