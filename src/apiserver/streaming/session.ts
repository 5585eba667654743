import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ExecSession } from "../../meta/node-endpoint.ts";
import { followSizes } from "./terminal-sizes.ts";
import { exitOutcome, failureOutcome, type Outcome, success } from "./outcome.ts";

/** The client's side of an exec or attach, whatever protocol carries it. */
export interface ClientStreams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  /** JSON objects, one for each new size of the client's terminal. */
  readonly resize?: Readable;
  /** Fires when the client has gone. */
  readonly gone: AbortSignal;
  /** Tells the outcome after all output, and closes in order. */
  finish(outcome: Outcome): Promise<void> | void;
}

/** What to start on the node. */
export interface SessionStart {
  readonly open: () => Promise<ExecSession>;
  /** For errors: what could not be done. */
  readonly doing: string;
  /** An attached container's exit code is the container's business, not the session's. */
  readonly tellsExitCode: boolean;
}

/** Joins a client to a session until the session ends, or the client goes, which ends the session. */
export async function runSession(client: ClientStreams, start: SessionStart): Promise<void> {
  await client.finish(await outcomeOf(client, start));
}

async function outcomeOf(client: ClientStreams, start: SessionStart): Promise<Outcome> {
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => {}); // It may come when nobody waits any more.
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
    // Whenever it opens, or has opened: nobody is there for it.
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

/** A command may end without reading all: the rest is dropped, and the client's stream is left to the client. */
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
    // A client that has gone is told of by `gone`; output that breaks off is the end of it.
    await pipeline(from, to).catch(() => {});
  }
}
