import { DockerfileError } from "./dockerfile-error.ts";
import { readLogicalLines } from "./read-lines.ts";
import { execForm } from "./words.ts";

/** The instructions that a build carries out; their text is not yet expanded. */
const supported = [
  "ADD",
  "ARG",
  "CMD",
  "COPY",
  "ENTRYPOINT",
  "ENV",
  "EXPOSE",
  "LABEL",
  "RUN",
  "SHELL",
  "STOPSIGNAL",
  "USER",
  "VOLUME",
  "WORKDIR",
] as const;

type InstructionName = (typeof supported)[number];

export interface Instruction {
  readonly name: InstructionName;
  readonly line: number;
  /** `--name=value`, in order; a flag without a value has an empty one. */
  readonly flags: ReadonlyMap<string, string>;
  /** The rest of the line. */
  readonly text: string;
  /** The words of an exec form. */
  readonly exec: readonly string[] | undefined;
}

export interface Stage {
  readonly line: number;
  /** The text after FROM, not yet expanded: an image, `scratch`, or an earlier stage. */
  readonly from: string;
  /** The name after AS, in lower case. */
  readonly name: string | undefined;
  readonly platform: string | undefined;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  readonly file: string;
  readonly escape: string;
  /** The ARGs before the first FROM. */
  readonly globals: readonly Instruction[];
  readonly stages: readonly Stage[];
  readonly warnings: readonly string[];
}

/** The flags of each instruction. */
const knownFlags = new Map<string, readonly string[]>([
  ["ADD", ["chown", "chmod"]],
  ["COPY", ["chown", "chmod", "from"]],
  ["FROM", ["platform"]],
]);

/**
 * Parses a Dockerfile into its stages. What a build does not support is refused here, with its line, before
 * anything runs.
 * @throws DockerfileError
 */
export function parseDockerfile(file: string, source: string): Dockerfile {
  const { escape, lines } = readLogicalLines(file, source);
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const globals: Instruction[] = [];
  const warnings: string[] = [];
  for (const { line, text } of lines) {
    const fail = (why: string) => new DockerfileError(file, line, why);
    const [, word = "", rest = ""] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
    const name = word.toUpperCase();
    if (name === "FROM") {
      stages.push({ ...readFrom(rest, fail), line, instructions: [] });
      continue;
    }
    if (name === "HEALTHCHECK" || name === "MAINTAINER") {
      const why = name === "HEALTHCHECK" ? "Kubernetes uses a Pod's probes instead" : "use a LABEL";
      warnings.push(`${file}:${line}: ${name} is ignored: ${why}`);
      continue;
    }
    if (name === "ONBUILD") throw fail("ONBUILD is not supported");
    const known = supported.find((one) => one === name);
    if (known === undefined) throw fail(`unknown instruction: ${word}`);
    const instruction = readInstruction(known, line, rest, fail);
    const stage = stages.at(-1);
    if (stage !== undefined) stage.instructions.push(instruction);
    else if (name === "ARG") globals.push(instruction);
    else throw fail("no build stage in current context: the first instruction must be FROM");
  }
  if (stages.length === 0) throw new DockerfileError(file, 1, "file with no instructions: FROM is missing");
  return { file, escape, globals, stages, warnings };
}

type Fail = (why: string) => DockerfileError;

function readInstruction(name: InstructionName, line: number, rest: string, fail: Fail): Instruction {
  const { flags, text } = readFlags(name, rest, fail);
  if (text === "") throw fail(`${name} requires at least one argument`);
  if (["RUN", "COPY", "ADD"].includes(name) && /(^|\s)<<-?["']?\w/.test(text))
    throw fail(`${name} with a here-document is not supported`);
  const exec = execForm(text);
  if (name === "SHELL" && (exec === undefined || exec.length === 0))
    throw fail("SHELL requires the arguments to be in JSON form");
  if (name === "RUN" && exec?.length === 0) throw fail("RUN requires at least one argument");
  return { name, line, flags, text, exec };
}

function readFlags(name: string, rest: string, fail: Fail): { flags: Map<string, string>; text: string } {
  const flags = new Map<string, string>();
  let text = rest;
  for (;;) {
    const [whole = "", flag = "", value = ""] = /^--([a-z-]+)(?:=(\S*))?(?:\s+|$)/.exec(text) ?? [];
    if (whole === "") break;
    const known = knownFlags.get(name) ?? [];
    if (!known.includes(flag)) throw fail(`${name} --${flag} is not supported`);
    if (flags.has(flag)) throw fail(`duplicate flag specified: --${flag}`);
    if (value === "") throw fail(`${name} --${flag} needs a value`);
    flags.set(flag, value);
    text = text.slice(whole.length);
  }
  return { flags, text };
}

function readFrom(rest: string, fail: Fail): Omit<Stage, "line" | "instructions"> {
  const { flags, text } = readFlags("FROM", rest, fail);
  const [from, as, name, ...excess] = text.split(/\s+/);
  const isNamed = as !== undefined;
  if (from === undefined || from === "" || excess.length > 0 || (isNamed && name === undefined))
    throw fail("FROM requires either one or three arguments");
  if (isNamed && as.toLowerCase() !== "as") throw fail("FROM requires either one or three arguments");
  if (name !== undefined && !/^[a-z][a-z0-9-_.]*$/.test(name.toLowerCase()))
    throw fail(`invalid name for build stage: ${JSON.stringify(name)}`);
  return { from, name: name?.toLowerCase(), platform: flags.get("platform") };
}

/** Returns the instruction as it is written, on one line. */
export function instructionText({ name, flags, text }: Instruction): string {
  return [name, ...Array.from(flags, ([flag, value]) => `--${flag}=${value}`), text].join(" ");
}
