import { basename, dirname, relative } from "node:path";

/** The facts about this process's invocation that hints depend on. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Returns the command with which the user called Knarr. */
export function commandName({ argv, env, cwd }: Invocation): string {
  const script = argv[1] ?? "knarr";
  // `npx knarr`, and npm's scripts in a checkout, where npx finds the checkout's own.
  if (env["npm_command"] !== undefined) return "npx knarr";
  const isOnPath = (env["PATH"] ?? "").split(":").includes(dirname(script));
  if (isOnPath && basename(script) === "knarr") return "knarr";
  const shorter = relative(cwd, script);
  return `node ${shellWord(shorter.length < script.length ? shorter : script)}`;
}

/** Returns the command of this process, for hints. */
export function thisCommand(): string {
  return commandName({ argv: process.argv, env: process.env, cwd: process.cwd() });
}

/** Quotes a text as one word of a shell's command line. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
