import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiRequest, ApiResponse } from "../../meta/exchange.ts";
import { errorText } from "../../util/error-text.ts";
import { protocolOf, type Start } from "../../streams/accept.ts";
import { writeRaw } from "../../streams/raw-response.ts";
import { type Access, refusal } from "./access.ts";
import { notFound, text } from "./answer.ts";
import type { KubeletHost } from "./host.ts";
import { segmentsOf } from "./path.ts";
import { route } from "./route.ts";
import { acceptPath } from "./sessions.ts";

/** The greatest number of sessions at the same time. */
const maxSessions = 500;

/** The kubelet's answers, for a listener. */
export class KubeletServer {
  readonly #host: KubeletHost;
  readonly #access: Access;
  #sessions = 0;

  constructor(host: KubeletHost, access: Access) {
    this.#host = host;
    this.#access = access;
  }

  /** Answers a request. */
  readonly handle = (request: ApiRequest): Promise<ApiResponse> =>
    this.#answer(request, (segments) => route(this.#host, request, segments));

  /** Serves a connection that asks for another protocol. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, exchange: ApiRequest): void => {
    // A broken connection is no error of the server; without a listener it would end the process.
    socket.on("error", () => socket.destroy());
    const connection = { request, socket, head, protocol: protocolOf(request) };
    let start: Start | undefined;
    const answered = this.#answer(exchange, async (segments) => {
      if (this.#sessions >= maxSessions) return text(503, "too many sessions");
      const accepted = acceptPath(this.#host, exchange, segments, connection);
      if (typeof accepted !== "function") return accepted ?? route(this.#host, exchange, segments);
      start = accepted;
      return text(101, "");
    });
    const serve = async () => {
      const answer = await answered;
      if (socket.destroyed) return;
      if (start === undefined) return writeRaw(socket, answer);
      this.#sessions++;
      try {
        await start(connection, {});
      } finally {
        this.#sessions--;
      }
    };
    serve().catch((error: unknown) => {
      this.#host.env.log.warn("a session failed", { error: errorText(error) });
      socket.destroy();
    });
  };

  async #answer(
    request: ApiRequest,
    serve: (segments: readonly string[]) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const { nodeName, env } = this.#host;
    try {
      const segments = segmentsOf(request.path);
      const refused = await refusal(this.#access, nodeName, request, segments ?? [], env.log);
      if (refused !== undefined) return refused;
      return segments === undefined ? notFound : await serve(segments);
    } catch (error) {
      env.log.warn("a request to the kubelet failed", { path: request.path, error: errorText(error) });
      return text(500, `Internal Error: ${errorText(error)}`);
    }
  }
}
