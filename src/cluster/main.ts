import { UsageError } from "../cli/flags.ts";
import { version } from "../apiserver/version.ts";

interface Command {
  readonly summary: string;
  readonly run: (line: readonly string[]) => Promise<number>;
}

/** Commands are loaded when they are called: `--help` must not pay for a cluster. */
const commands: Readonly<Record<string, Command>> = {
  up: {
    summary: "Start a cluster on this machine",
    run: async (line) => (await import("./commands/up.ts")).up(line),
  },
  demo: {
    summary: "Show what a cluster does: deploy, scale, heal, roll out and back",
    run: async (line) => (await import("./commands/demo.ts")).demo(line),
  },
  image: {
    summary: "Build, import, list and remove images",
    run: async (line) => (await import("./commands/image.ts")).image(line),
  },
};

const help = `Knarr is Kubernetes in one process.

Usage:
  knarr COMMAND [flags]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join("\n")}

Use "knarr COMMAND --help" to learn more about a command.
`;

/** The process's entry point: runs a command and sets the exit code. */
export async function main(line: readonly string[]): Promise<void> {
  const [name = "", ...rest] = line;
  if (name === "" || name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(help);
    return;
  }
  if (name === "version" || name === "--version") {
    process.stdout.write(`${version.gitVersion}\n`);
    return;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`unknown command ${JSON.stringify(name)}`);
    process.exitCode = await command.run(rest);
  } catch (error) {
    process.exitCode = 1;
    const isUsage = error instanceof UsageError;
    const text =
      error instanceof Error
        ? process.env["KNARR_DEBUG"] === undefined
          ? error.message
          : error.stack
        : String(error);
    process.stderr.write(
      `error: ${text}\n${isUsage ? `See "knarr ${command === undefined ? "" : `${name} `}--help".\n` : ""}`,
    );
  }
}
