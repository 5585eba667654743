import { UsageError } from "../cli/flags.ts";
import { thisCommand } from "../cli/invocation.ts";
import { version } from "../apiserver/version.ts";
import { packageVersion } from "./package-version.ts";
import { table } from "../util/table.ts";

interface Command {
  readonly summary: string;
  /** `startedAt` is the process's start in wall time. */
  readonly run: (line: readonly string[], startedAt: number) => Promise<number>;
}

/** Commands are loaded when they are called, so that `--help` does not load a cluster. */
const commands: Readonly<Record<string, Command>> = table({
  up: {
    summary: "Start a cluster on this machine",
    run: async (line, startedAt) => (await import("./commands/up.ts")).up(line, startedAt),
  },
  status: {
    summary: "Show a cluster of this machine",
    run: async (line) => (await import("./commands/status.ts")).status(line),
  },
  down: {
    summary: "Stop a cluster, or remove it",
    run: async (line) => (await import("./commands/down.ts")).down(line),
  },
  demo: {
    summary: "Show what a cluster does: deploy, scale, heal, roll out and back",
    run: async (line) => (await import("./commands/demo.ts")).demo(line),
  },
  scheduler: {
    summary: "Schedule the Pods of a cluster elsewhere",
    run: async (line) => (await import("./commands/scheduler.ts")).scheduler(line),
  },
  "controller-manager": {
    summary: "Run the controllers of a cluster elsewhere",
    run: async (line) => (await import("./commands/controller-manager.ts")).controllerManager(line),
  },
  kubelet: {
    summary: "Run the Pods of a node of a cluster elsewhere",
    run: async (line) => (await import("./commands/kubelet.ts")).kubelet(line),
  },
  image: {
    summary: "Build, import, list and remove images",
    run: async (line) => (await import("./commands/image.ts")).image(line),
  },
});

const help = `Knarr is Kubernetes in one process.

Usage:
  knarr COMMAND [flags]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(20)}${summary}`)
  .join("\n")}

Use "knarr COMMAND --help" to learn more about a command, "knarr --version" for the version.
`;

/** The process's entry point: runs a command and sets the exit code. */
export async function main(line: readonly string[], startedAt: number): Promise<void> {
  const [name = "", ...rest] = line[0] === "help" && line[1] !== undefined ? [line[1], "--help"] : line;
  if (["", "help", "--help", "-h"].includes(name)) {
    process.stdout.write(help);
    return;
  }
  if (["version", "--version", "-v"].includes(name)) {
    process.stdout.write(`knarr ${packageVersion()} (Kubernetes ${version.gitVersion})\n`);
    return;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`unknown command ${JSON.stringify(name)}`);
    process.exitCode = await command.run(rest, startedAt);
  } catch (error) {
    process.exitCode = 1;
    const hint = `See "${thisCommand()} ${command === undefined ? "" : `${name} `}--help".\n`;
    process.stderr.write(`error: ${textOf(error)}\n${error instanceof UsageError ? hint : ""}`);
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env["KNARR_DEBUG"] === undefined ? error.message : (error.stack ?? error.message);
}
