import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { RuntimeError, type ExecOptions, type ExecSession } from "../runtime.ts";
import { type LaunchFilter, launchPlan } from "./init-plan.ts";
import { freeze, type ProcessHandle } from "../process-handle.ts";
import type { ProcessSpec } from "./records.ts";
import { quoteAll, toolEnvironment } from "./shell.ts";
import { outcome } from "./supervisor.ts";
import { latestOnly, resizeTerminal } from "./terminal-size.ts";
import { initTool } from "./toolbox.ts";
import { pipeSocket } from "./pipe-socket.ts";

export interface ExecPlan {
  readonly init: ProcessHandle;
  readonly joinFiles: readonly string[];
  readonly toolbox: string;
  /** The container's own process, with the command of the exec. */
  readonly process: ProcessSpec;
  /** The container's filter of system calls. */
  readonly seccomp: LaunchFilter | undefined;
  /** The path of a new file, which is deleted before the command runs. */
  readonly planFile: string;
}

/**
 * Runs a command in a running container: a shell joins the cgroup, enters the namespaces and becomes the init program,
 * which launches the command with the container's user, capabilities and environment. With a terminal, `script` creates
 * the terminal.
 */
export async function execInContainer(plan: ExecPlan, options: ExecOptions): Promise<ExecSession> {
  const child = await spawnExec(plan, options);
  const closed = new Promise<number>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  child.stdin?.on("error", () => {}); // The command may end without reading all input.
  const status = pipeSocket(child.stdio[3]);
  const started = outcome(status);
  const exited = started.then(async (failure) => {
    const code = await closed;
    if (failure === undefined) return code;
    throw new RuntimeError("RunContainerError", failure);
  });
  exited.catch(() => {}); // A caller may await it later.
  const resize = latestOnly(async (size) => {
    await started; // Before that, `script` may not have created the terminal.
    if (child.pid !== undefined) await resizeTerminal(child.pid, size);
  });
  return {
    ...(options.stdin && child.stdin && { stdin: child.stdin satisfies Writable }),
    ...(options.stdout && child.stdout && { stdout: child.stdout satisfies Readable }),
    ...(options.stderr && !options.tty && child.stderr && { stderr: child.stderr satisfies Readable }),
    exited,
    resize: options.tty ? resize : () => {},
    close: () => void kill(child),
  };
}

async function spawnExec(plan: ExecPlan, options: ExecOptions): Promise<ChildProcess> {
  // A file instead of arguments: every user of the host can see the arguments of a waiting nsenter, and the plan
  // contains a Pod's secrets.
  // The leader of `script`'s session is outside of the PID namespace, but job control needs one inside.
  await writeFile(plan.planFile, launchPlan(plan.process, { seccomp: plan.seccomp, terminal: options.tty }), {
    mode: 0o600,
  });
  const launch = openSync(plan.planFile, "r");
  await rm(plan.planFile);
  const enter = [
    "nsenter",
    `--target=${plan.init.pid}`,
    "--mount",
    "--net",
    "--ipc",
    "--uts",
    "--pid",
    "--cgroup",
    "--",
    `${plan.toolbox}/${initTool}`,
  ];
  const join = plan.joinFiles.map((file) => `echo 0 > ${file}`).join("\n");
  const command = `${join}\nexec ${quoteAll(enter)}`;
  try {
    return options.tty
      ? spawn("script", ["-q", "-e", "--echo", "always", "-c", command, "/dev/null"], {
          stdio: ["pipe", pipe(options.stdout), "pipe", "pipe", launch],
          env: { ...toolEnvironment, TERM: "xterm" },
        })
      : spawn("sh", ["-eu", "-c", command], {
          stdio: [pipe(options.stdin), pipe(options.stdout), pipe(options.stderr), "pipe", launch],
          env: toolEnvironment,
        });
  } finally {
    closeSync(launch);
  }
}

/** A stream without a reader must not be a pipe: a full pipe would block the command. */
function pipe(wanted: boolean): "pipe" | "ignore" {
  return wanted ? "pipe" : "ignore";
}

/** Kills all descendants, because the command is a grandchild in another PID namespace. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of await freeze(child.pid)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended since.
    }
  }
}
