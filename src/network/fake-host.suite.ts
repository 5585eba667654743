import type { Host } from "./host.ts";

/** A machine that records commands without running them, as `program arguments` or `name = value`. */
export class FakeHost implements Host {
  readonly told: string[] = [];
  readonly sysctls = new Map<string, string>();
  /** The outputs of programs, by the start of the command line; an Error is thrown. */
  readonly answers = new Map<string, string | Error>();
  /** The input of the last call of each program. */
  readonly inputs = new Map<string, string>();

  readonly run = async (program: string, args: readonly string[], input = ""): Promise<string> => {
    const command = [program, ...args].join(" ");
    this.told.push(command);
    this.inputs.set(program, input);
    const [, answer = ""] = [...this.answers].find(([start]) => command.startsWith(start)) ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };

  readonly sysctl = (name: string): string | undefined => this.sysctls.get(name);

  readonly setSysctl = (name: string, value: string): void => {
    this.told.push(`${name} = ${value}`);
    this.sysctls.set(name, value);
  };
}
