import type { AttachOptions } from "../../meta/node-endpoint.ts";
import { errors } from "../../meta/status.ts";
import { isTrue } from "../../util/query-flag.ts";

/**
 * Parses the query of exec and attach. A terminal has stderr on its only output (kubelet
 * `remotecommand.NewOptions`).
 */
export function parseStreams(query: URLSearchParams): AttachOptions {
  const [stdin, stdout, stderr, tty] = ["stdin", "stdout", "stderr", "tty"].map((name) =>
    isTrue(query.get(name)),
  );
  if (!stdin && !stdout && !stderr)
    throw errors.badRequest("you must specify at least 1 of stdin, stdout, stderr");
  return { stdin: !!stdin, stdout: !!stdout, stderr: !!stderr && !tty, tty: !!tty };
}

export function parseCommand(query: URLSearchParams): readonly string[] {
  const command = query.getAll("command");
  if (command.length === 0) throw errors.badRequest("you must specify the command to execute");
  return command;
}
