import { RuntimeError, type ExecOptions, type ExecSession } from "../runtime.ts";
import type { ProcessHandle } from "../process-handle.ts";
import { connectJob, type JobContext } from "./connect-job.ts";
import { encodeOperations, type LaunchFilter, launchOperations, type Operation } from "./init-plan.ts";
import type { ProcessSpec } from "./records.ts";
import type { Outcome } from "./spawner.ts";
import { viewerSession } from "./viewer.ts";

export interface ExecPlan {
  readonly init: ProcessHandle;
  readonly joinFiles: readonly string[];
  /** The container's own process, with the command of the exec. */
  readonly process: ProcessSpec;
  /** The container's filter of system calls. */
  readonly seccomp: LaunchFilter | undefined;
  /** The host's ID of the root of the container's user namespace. Undefined: it has none. */
  readonly firstId: number | undefined;
  /** A name that no other session has. */
  readonly name: string;
}

/**
 * Runs a command in a running container: a new process joins its cgroups, enters its namespaces, and launches the command
 * with the container's user, capabilities and environment. Its supervisor passes on its streams.
 */
export async function execInContainer(
  plan: ExecPlan,
  options: ExecOptions,
  context: JobContext,
): Promise<ExecSession> {
  const operations = encodeOperations(execOperations(plan, options, context.sessions.path));
  const { connection, outcome } = await connectJob(plan.name, operations, context);
  if (connection === undefined) return failedSession(outcome);
  const { ended, ...session } = viewerSession(connection.socket, connection.start, options);
  const exited = ended.then(async (code) => {
    if (code !== undefined) return code;
    throw startError(await outcome);
  });
  exited.catch(() => {}); // A caller may await it later.
  return { ...session, exited };
}

function execOperations(plan: ExecPlan, options: ExecOptions, socket: string): readonly Operation[] {
  const { init, joinFiles, process, seccomp, firstId, name } = plan;
  const flags = [options.stdin, options.stdout, options.stderr && !options.tty, options.tty].map((flag) =>
    flag ? "1" : "0",
  );
  return [
    ["session", socket, name, ...flags, String(init.pid), init.startTime],
    ...joinFiles.map((file) => ["join", file] as const),
    ["own-streams", String((firstId ?? 0) + process.credentials.uid)],
    ["enter-container", firstId === undefined ? "0" : "1"],
    ...launchOperations(process, seccomp),
  ];
}

function failedSession(outcome: Promise<Outcome>): ExecSession {
  const exited = outcome.then((outcome) => {
    throw startError(outcome);
  });
  exited.catch(() => {});
  return { exited, resize: () => {}, close: () => {} };
}

function startError(outcome: Outcome): RuntimeError {
  const why = outcome.what === "failed" ? outcome.why : "the session ended without an exit code";
  return new RuntimeError("RunContainerError", why);
}
