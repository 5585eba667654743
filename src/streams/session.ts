import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ExecSession } from "../meta/node-endpoint.ts";
import { followSizes } from "./terminal-sizes.ts";
import { exitOutcome, failureOutcome, type Outcome, success } from "./outcome.ts";

/** The client's side of an exec or attach, over any protocol. */
export interface ClientStreams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  /** JSON objects, one for each new size of the client's terminal. */
  readonly resize?: Readable;
  /** Fires when the client has disconnected. */
  readonly gone: AbortSignal;
  /** Sends the outcome after all output, and closes in order. */
  finish(outcome: Outcome): Promise<void> | void;
}

/** A session to start on the node. */
export interface SessionStart {
  readonly open: () => Promise<ExecSession>;
  /** The failed operation, for errors. */
  readonly doing: string;
  /** False for attach: its session does not report the container's exit code. */
  readonly tellsExitCode: boolean;
}

/**
 * Connects a client to a session until the session ends. The session also ends when the client disconnects.
 */
export async function runSession(client: ClientStreams, start: SessionStart): Promise<void> {
  await client.finish(await outcomeOf(client, start));
}

async function outcomeOf(client: ClientStreams, start: SessionStart): Promise<Outcome> {
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => {}); // It may reject when nothing awaits it any more.
  const leave = () => left.reject(new Error("the client has gone"));
  client.gone.addEventListener("abort", leave, { once: true });
  if (client.gone.aborted) leave();
  const opening = start.open();
  try {
    const session = await Promise.race([opening, left.promise]);
    const output = join(client, session);
    const code = await Promise.race([session.exited, left.promise]);
    await output;
    return start.tellsExitCode ? exitOutcome(code) : success;
  } catch (error) {
    // Closes the session even if it opens later, because its client has disconnected.
    opening.then((session) => session.close()).catch(() => {});
    return failureOutcome(start.doing, error);
  } finally {
    client.gone.removeEventListener("abort", leave);
  }
}

/** Resolves when the session's output has ended and is written. */
async function join(client: ClientStreams, session: ExecSession): Promise<void> {
  if (client.stdin !== undefined) pour(client.stdin, session.stdin);
  if (client.resize !== undefined) followSizes(client.resize, (size) => session.resize(size));
  await Promise.all([copy(session.stdout, client.stdout), copy(session.stderr, client.stderr)]);
}

/**
 * Copies input. A command may end without reading all of it: the rest is dropped, and the client's stream
 * stays open.
 */
function pour(from: Readable, to: Writable | undefined): void {
  if (to === undefined) {
    from.resume();
    return;
  }
  const drop = () => {
    from.unpipe(to);
    from.resume();
  };
  to.on("error", drop).on("close", drop);
  from.pipe(to);
}

async function copy(from: Readable | undefined, to: Writable | undefined): Promise<void> {
  if (from === undefined) {
    to?.end();
  } else if (to === undefined) {
    from.on("error", () => {}).resume();
  } else {
    // `gone` reports a disconnected client; output that breaks off counts as ended.
    await pipeline(from, to).catch(() => {});
  }
}
