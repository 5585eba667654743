import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";

/** The parts of this machine that network changes need: programs and kernel settings. */
export interface Host {
  /**
   * Runs a program to its end and resolves to its output. @throws Error with the program's error output when
   * it fails
   */
  run(program: string, args: readonly string[], input?: string): Promise<string>;
  /** Returns a kernel setting such as `net/ipv4/ip_forward`; undefined when this kernel lacks it. */
  sysctl(name: string): string | undefined;
  /** @throws Error when the kernel refuses */
  setSysctl(name: string, value: string): void;
}

/** The environment of the system's tools, which are often in folders that a user's PATH lacks. */
const environment = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

export const thisHost: Host = {
  async run(program, args, input = "") {
    const child = spawn(program, args, { env: environment });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    // A program that ends early reports the reason itself.
    child.stdin.on("error", () => {}).end(input);
    const command = [program, ...args].join(" ");
    const [code]: readonly (number | null)[] = await once(child, "close").catch((error: unknown) => {
      throw isMissing(error) ? new Error(`${program} is not installed`) : error;
    });
    if (code !== 0) throw new Error(`Cannot run ${command}: ${errors.trim() || `it ended with ${code}`}`);
    return output;
  },
  sysctl(name) {
    try {
      return readFileSync(`/proc/sys/${name}`, "utf8").trim();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  setSysctl(name, value) {
    writeFileSync(`/proc/sys/${name}`, value);
  },
};

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
