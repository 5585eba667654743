import { spawn } from "node:child_process";
import { once } from "node:events";

/** The environment of the system's tools: never that of Knarr or of a container. */
export const toolEnvironment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  SHELL: "/bin/sh",
  LC_ALL: "C",
};

/** Quotes any text as one word of a shell script. */
export function quote(text: string): string {
  return /^[\w./:=,+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Resolves to the tool's output. @throws Error with the tool's output when it fails. */
export async function runTool(purpose: string, tool: string, args: readonly string[]): Promise<string> {
  const child = spawn(tool, args, { stdio: ["ignore", "pipe", "pipe"], env: toolEnvironment });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code]: readonly (number | null)[] = await once(child, "close");
  if (code !== 0) throw new Error(`Cannot ${purpose}: ${errors.trim() || `${tool} ended with ${code}`}`);
  return output;
}
