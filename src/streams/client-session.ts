import { fieldsOf, isList } from "../util/is-object.ts";
import type { SpdyConnection } from "./spdy/connection.ts";
import type { SpdyStream } from "./spdy/stream.ts";
import type { AttachOptions, ExecSession } from "../meta/node-endpoint.ts";
import { StatusError, errors, failure } from "../meta/status.ts";

/** The version of the streams' protocol that every kubelet and container runtime speaks over SPDY. */
export const sessionProtocol = "v4.channel.k8s.io";
/** Far more than a Status takes. */
const maxOutcomeBytes = 64 * 1024;

/**
 * Opens the streams of an exec or attach on a connection of its own. `peer` names the other side in errors, e.g.
 * `the kubelet`.
 */
export async function openSession(
  connection: SpdyConnection,
  { stdin, stdout, stderr, tty }: AttachOptions,
  peer: string,
): Promise<ExecSession> {
  const open = async (purpose: string, wanted: boolean) =>
    wanted ? connection.open(new Map([["streamtype", purpose]])) : undefined;
  // One at a time, because the compression of headers depends on their order.
  const error = await connection.open(new Map([["streamtype", "error"]]));
  const input = await open("stdin", stdin);
  const output = await open("stdout", stdout);
  const errorOutput = await open("stderr", stderr && !tty);
  const resize = await open("resize", tty);
  input?.resume();
  resize?.resume();
  const exited = outcomeOf(error, connection, peer);
  exited.catch(() => {}); // The caller may close the session without reading its outcome.
  return {
    ...(input && { stdin: input }),
    ...(output && { stdout: output }),
    ...(errorOutput && { stderr: errorOutput }),
    resize: ({ width, height }) => {
      if (resize?.writable === true && !resize.writableNeedDrain)
        resize.write(`${JSON.stringify({ Width: width, Height: height })}\n`);
    },
    exited,
    close: () => connection.abort(),
  };
}

/** Resolves with the exit code, once the peer has sent it. @throws StatusError of the peer */
async function outcomeOf(error: SpdyStream, connection: SpdyConnection, peer: string): Promise<number> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const data: AsyncIterable<Buffer> = error;
    for await (const chunk of data) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxOutcomeBytes) throw errors.internal(`the outcome of ${peer} is too large`);
    }
  } catch (cause) {
    connection.abort();
    throw cause instanceof StatusError ? cause : lost(peer);
  }
  const code = parseOutcome(Buffer.concat(chunks).toString());
  if (code === undefined) throw lost(peer);
  return code;
}

function lost(peer: string): StatusError {
  return errors.internal(`error reading from error stream: the connection to ${peer} has closed`);
}

/** Parses the Status at the end of a session (client-go `remotecommand/v4.go`). @throws StatusError of a failure */
export function parseOutcome(text: string): number | undefined {
  if (text === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw errors.internal(`error stream protocol error: ${text.slice(0, 200)}`);
  }
  const { status, reason, message, details } = fieldsOf(value);
  if (status === "Success") return 0;
  const said = typeof message === "string" ? message : "the command failed";
  if (status !== "Failure" || reason !== "NonZeroExitCode") throw failure(500, "InternalError", said);
  const { causes } = fieldsOf(details);
  const exit = (isList(causes) ? causes : []).map(fieldsOf).find((cause) => cause["reason"] === "ExitCode");
  const code = typeof exit?.["message"] === "string" ? exit["message"] : "";
  if (!/^\d{1,10}$/.test(code))
    throw errors.internal(`error stream protocol error: invalid exit code ${code}`);
  return Number(code);
}
