import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { quote, toolEnvironment } from "./shell.ts";
import { errorText } from "../../util/error-text.ts";
import { pipeSocket } from "./pipe-socket.ts";

export interface SupervisorPlan {
  /** The container's directory: `boot.sh`, the FIFOs, and this supervisor's files. */
  readonly directory: string;
  /** The file for the exit code. */
  readonly exitFile: string;
  readonly oomFile: string;
  /** The supervisors' own cgroup, so that neither the container's limits nor Knarr's end affects them. */
  readonly joinFiles: readonly string[];
  readonly newPidNamespace: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
}

/**
 * Returns the script of a shell (about 1 MB) that outlives Knarr. It holds the container's FIFOs, waits for
 * the first process, and writes exit code and OOM kills to one file, whose time is the container's end. It
 * runs no programs itself: its first child is the container, after whose end it cannot fork.
 */
export function supervisorScript(plan: SupervisorPlan): string {
  const file = (name: string) => quote(join(plan.directory, name));
  const boot = `sh ${file("boot.sh")} join`;
  // A terminal has no end of input; a plain stdin ends when its last writer closes it.
  const stdin = plan.tty ? `0<>${file("stdin")}` : plan.stdin ? `<${file("stdin")}` : "</dev/null";
  const onTerminal = quote(`exec ${unshare(plan)} sh -c ${quote(`${boot}; exit $?`)}`);
  const command = plan.tty ? `script -q -e --echo always -c ${onTerminal} /dev/null` : boot;
  return `${plan.joinFiles.map((join) => `echo 0 > ${quote(join)}`).join("\n")}
read -r stat < /proc/self/stat
echo "$stat" > ${file("supervisor")}
exec 5<>${file("stdout")} 6<>${file("stderr")}
set +e
${command} ${stdin} >&5 2>&6 5>&- 6>&-
code=$?
kills=0
while read -r key value; do
  if [ "$key" = oom_kill ]; then kills=$value; fi
done < ${quote(plan.oomFile)}
echo "$code $kills" > ${quote(plan.exitFile)}
`;
}

/**
 * Returns the command that makes the shell's next child the first process of a new PID namespace. `unshare
 * --fork` would lose the signal that ended its child before util-linux 2.39.
 */
function unshare(plan: SupervisorPlan): string {
  return plan.newPidNamespace ? "unshare --pid --" : "";
}

/** Carries out a request of the boot before the boot continues. @throws Error, which ends the boot. */
export type Answer = (request: string) => void;

/**
 * Starts a container under a new supervisor. Resolves to undefined when its command runs, else to the
 * failure.
 */
export async function supervise(plan: SupervisorPlan, answer: Answer): Promise<string | undefined> {
  const errors = openSync(join(plan.directory, "supervisor.log"), "a", 0o600);
  try {
    const script = ["sh", "-eu", "-c", supervisorScript(plan)];
    const [program = "", ...args] = plan.tty
      ? script
      : [...unshare(plan).split(" ").filter(Boolean), ...script];
    const shell = spawn(program, args, {
      detached: true,
      cwd: "/",
      stdio: ["ignore", errors, errors, "pipe"],
      env: { ...toolEnvironment, ...(plan.tty && { TERM: "xterm" }) },
    });
    shell.unref();
    return await outcome(pipeSocket(shell.stdio[3]), answer);
  } finally {
    closeSync(errors);
  }
}

/**
 * Reads descriptor 3 of a boot. Requests are answered by an empty line. Resolves to undefined after the line
 * `started`, else to everything written as the reason of the failure.
 */
export async function outcome(status: Socket, answer?: Answer): Promise<string | undefined> {
  let said = "";
  let failure: string | undefined;
  for await (const chunk of status) {
    said += String(chunk);
    if (/(^|\n)started\n$/.test(said)) return undefined;
    const request = /(?:^|\n)((?:mounts|directory)(?: \d+)?)\n$/.exec(said)?.[1];
    if (request === undefined || answer === undefined) continue;
    try {
      answer(request);
    } catch (error) {
      failure = errorText(error);
      status.end(); // The boot reads the end and exits; the supervisor records the exit before this loop ends.
      continue;
    }
    said = said.slice(0, -request.length - 1);
    status.write("\n");
  }
  return failure ?? (said.trim() || "it ended before its command ran");
}
