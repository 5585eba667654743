import { type Clock, sleep } from "../util/clock.ts";
import type { ApiRequest } from "../meta/exchange.ts";
import type { AttachOptions } from "../meta/node-endpoint.ts";
import { negotiate, type Start } from "./accept.ts";
import { type ClientStreams, runSession, type SessionStart } from "./session.ts";
import { acceptSpdy } from "./spdy-accept.ts";
import { SpdyConnection } from "./spdy/connection.ts";
import type { SpdyStream } from "./spdy/stream.ts";
import { encodeOutcome } from "./websocket/exec.ts";

/** The version of each protocol name. */
const protocols: ReadonlyMap<string, number> = new Map([
  ["v5.channel.k8s.io", 5],
  ["v4.channel.k8s.io", 4],
  ["v3.channel.k8s.io", 3],
  ["v2.channel.k8s.io", 2],
  ["channel.k8s.io", 1],
]);

/** The greatest time until a client has opened its streams (apimachinery `DefaultStreamCreationTimeout`). */
const streamTimeoutMs = 30_000;

/** Serves an exec or attach over SPDY: one stream for each purpose, named by the header `streamtype`. */
export function acceptSpdyExec(
  request: ApiRequest,
  clock: Clock,
  options: AttachOptions,
  start: SessionStart,
): Start {
  const [name, version] = negotiate(request.headers["x-stream-protocol-version"], protocols);
  return async (upgrade, headers) => {
    const transport = acceptSpdy(upgrade, name, headers);
    const opened = new Map<string, SpdyStream>();
    const complete = Promise.withResolvers<void>();
    const wanted = purposes(options, version);
    const connection = new SpdyConnection(transport, clock, (stream) => {
      const purpose = stream.headers.get("streamtype") ?? "";
      if (!wanted.includes(purpose) || opened.has(purpose)) {
        stream.destroy();
        return;
      }
      opened.set(purpose, stream);
      if (opened.size === wanted.length) complete.resolve();
    });
    const running = connection.run();
    running.catch(() => {}); // Awaited below; without this, an early rejection would be unhandled.
    await Promise.race([complete.promise, running, sleep(clock, streamTimeoutMs, connection.gone)]);
    if (opened.size === wanted.length) await runSession(clientStreams(connection, opened, version), start);
    else connection.end();
    await running;
  };
}

function purposes({ stdin, stdout, stderr, tty }: AttachOptions, version: number): readonly string[] {
  return [
    "error",
    ...(stdin ? ["stdin"] : []),
    ...(stdout ? ["stdout"] : []),
    ...(stderr ? ["stderr"] : []),
    ...(tty && version >= 3 ? ["resize"] : []),
  ];
}

function clientStreams(
  connection: SpdyConnection,
  streams: ReadonlyMap<string, SpdyStream>,
  version: number,
): ClientStreams {
  const [stdin, stdout, stderr, resize, error] = ["stdin", "stdout", "stderr", "resize", "error"].map(
    (purpose) => streams.get(purpose),
  );
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    ...(resize && { resize }),
    gone: connection.gone,
    async finish(outcome) {
      for (const output of [stdout, stderr]) output?.end();
      const message = encodeOutcome(outcome, version);
      await new Promise<void>((resolve) => {
        if (error === undefined || error.destroyed) resolve();
        else error.once("close", resolve).end(message, () => resolve());
      });
      connection.end();
    },
  };
}
