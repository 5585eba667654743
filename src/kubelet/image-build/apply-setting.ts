import { posix } from "node:path";
import type { ImageSettings } from "../images/image-document.ts";
import type { Variables } from "./dockerfile/expand.ts";
import { expandWord } from "./dockerfile/expand.ts";
import type { Instruction } from "./dockerfile/parse-dockerfile.ts";
import { namedValues, splitWords } from "./dockerfile/words.ts";

/** The settings of a stage so far. */
export interface StageSettings {
  readonly settings: ImageSettings;
  /** The stage has a CMD of its own, which a later ENTRYPOINT keeps. */
  readonly hasOwnCmd: boolean;
}

const defaultShell = ["/bin/sh", "-c"];
/** Bytes of an image's settings, so that no Dockerfile makes ones that no runtime takes. */
const maxEnvBytes = 1024 * 1024;
const maxEntries = 10_000;

/** Returns the words that a shell form runs. */
export function commandOf(settings: ImageSettings, { exec, text }: Instruction): readonly string[] {
  return exec ?? [...(settings.shell.length === 0 ? defaultShell : settings.shell), text];
}

/** Applies an instruction that changes nothing but settings. @throws Error with the reason */
export function applySetting(
  stage: StageSettings,
  instruction: Instruction,
  variables: Variables,
  escape: string,
): StageSettings {
  const settings = changed(stage, instruction, (text) => expandWord(text, variables, escape), escape);
  const { env, labels, exposedPorts, volumes } = settings;
  if (env.reduce((sum, entry) => sum + entry.length, 0) > maxEnvBytes)
    throw new Error(`the environment has more than ${maxEnvBytes} bytes`);
  if (labels.size + exposedPorts.length + volumes.length > maxEntries)
    throw new Error(`the image has more than ${maxEntries} labels, ports and volumes`);
  return { settings, hasOwnCmd: stage.hasOwnCmd || instruction.name === "CMD" };
}

function changed(
  { settings, hasOwnCmd }: StageSettings,
  instruction: Instruction,
  expand: (text: string) => string,
  escape: string,
): ImageSettings {
  const { name, text, exec } = instruction;
  switch (name) {
    case "ENV":
      return { ...settings, env: withVariables(settings.env, pairs(instruction, expand, escape)) };
    case "LABEL":
      return { ...settings, labels: new Map([...settings.labels, ...pairs(instruction, expand, escape)]) };
    case "CMD":
      return { ...settings, cmd: exec?.length === 0 ? undefined : commandOf(settings, instruction) };
    case "ENTRYPOINT": {
      const entrypoint = exec?.length === 0 ? undefined : commandOf(settings, instruction);
      return { ...settings, entrypoint, cmd: hasOwnCmd ? settings.cmd : undefined };
    }
    case "EXPOSE":
      return { ...settings, exposedPorts: union(settings.exposedPorts, ports(expand(text))) };
    case "VOLUME": {
      const volumes = (exec ?? splitWords(text, escape)).map(expand);
      if (volumes.includes("")) throw new Error("VOLUME specified can not be an empty string");
      return { ...settings, volumes: union(settings.volumes, volumes) };
    }
    case "USER":
      return { ...settings, user: single(name, expand(text)) };
    case "WORKDIR":
      return {
        ...settings,
        workingDir: posix.resolve(settings.workingDir || "/", single(name, expand(text))),
      };
    case "STOPSIGNAL":
      return { ...settings, stopSignal: signal(expand(text)) };
    case "SHELL":
      return { ...settings, shell: exec ?? [] };
    default:
      throw new Error(`${name} is no setting`);
  }
}

function pairs(
  { name, text }: Instruction,
  expand: (text: string) => string,
  escape: string,
): readonly (readonly [string, string])[] {
  return namedValues(name, text, escape).map(([key, value]) => [expand(key), expand(value)]);
}

/** Sets variables, each in its place if the environment has it. */
function withVariables(
  env: readonly string[],
  values: readonly (readonly [string, string])[],
): readonly string[] {
  const byName = new Map(env.map((entry) => [entry.split("=", 1)[0] ?? "", entry]));
  for (const [name, value] of values) byName.set(name, `${name}=${value}`);
  return [...byName.values()];
}

function ports(text: string): readonly string[] {
  return text.split(/\s+/).flatMap((word) => {
    const [, from = "", to = from, protocol = "tcp"] =
      /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(\w+))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === "" || first < 1 || last > 65_535 || last < first)
      throw new Error(`invalid containerPort: ${word}`);
    if (!["tcp", "udp", "sctp"].includes(protocol.toLowerCase()))
      throw new Error(`invalid proto: ${protocol}`);
    return Array.from(
      { length: last - first + 1 },
      (_, index) => `${first + index}/${protocol.toLowerCase()}`,
    );
  });
}

function signal(text: string): string {
  if (!/^(SIG)?[A-Z0-9]+([+-]\d+)?$/i.test(text)) throw new Error(`invalid signal: ${text}`);
  return /^\d+$/.test(text) || text.toUpperCase().startsWith("SIG")
    ? text.toUpperCase()
    : `SIG${text.toUpperCase()}`;
}

function single(name: string, text: string): string {
  if (text === "") throw new Error(`${name} requires exactly one argument`);
  return text;
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
