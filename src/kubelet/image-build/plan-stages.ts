import { DockerfileError } from "./dockerfile/dockerfile-error.ts";
import { expandWord, type Variables } from "./dockerfile/expand.ts";
import { namedValues, splitWords } from "./dockerfile/words.ts";
import type { Dockerfile, Stage } from "./dockerfile/parse-dockerfile.ts";

/** A stage that the target needs. */
export interface PlannedStage {
  readonly index: number;
  readonly stage: Stage;
  /** An earlier stage by its index, or the name of an image. */
  readonly from: number | string;
}

export interface StagePlan {
  /** Ordered as in the file; the last is the target. */
  readonly stages: readonly PlannedStage[];
  /** The values of the ARGs before the first FROM. */
  readonly globals: Variables;
}

/** Returns the name's stage among those before `before`: by name, the latest first, or by index. */
export function stageIndex(dockerfile: Dockerfile, name: string, before: number): number | undefined {
  const earlier = dockerfile.stages.slice(0, before);
  const byName = earlier.findLastIndex((stage) => stage.name === name.toLowerCase());
  if (byName >= 0) return byName;
  return /^\d{1,5}$/.test(name) && Number(name) < before ? Number(name) : undefined;
}

/** Chooses the stages that `target` needs, by default the last one. @throws DockerfileError */
export function planStages(
  dockerfile: Dockerfile,
  target: string | undefined,
  buildArgs: Variables,
): StagePlan {
  const { file, stages, escape } = dockerfile;
  const globals = globalArgs(dockerfile, buildArgs);
  const last = target === undefined ? stages.length - 1 : stageIndex(dockerfile, target, stages.length);
  if (last === undefined)
    throw new DockerfileError(file, 1, `target stage ${JSON.stringify(target)} could not be found`);
  const needed = new Map<number, PlannedStage>();
  const pending = [last];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const stage = stages[index];
    if (stage === undefined || needed.has(index)) continue;
    const name = attempt(dockerfile, stage.line, () => expandWord(stage.from, globals, escape));
    if (name === "")
      throw new DockerfileError(file, stage.line, `base name (${stage.from}) should not be blank`);
    const from = stageIndex(dockerfile, name, index) ?? name;
    // FROM takes only names of stages: a number is the name of an image.
    const base = typeof from === "number" && /^\d+$/.test(name) ? name : from;
    needed.set(index, { index, stage, from: base });
    if (typeof base === "number") pending.push(base);
    for (const { name: kind, flags } of stage.instructions) {
      const source = kind === "COPY" ? flags.get("from") : undefined;
      const copied = source === undefined ? undefined : stageIndex(dockerfile, source, index);
      if (copied !== undefined) pending.push(copied);
    }
  }
  return { globals, stages: [...needed.values()].toSorted((a, b) => a.index - b.index) };
}

function globalArgs({ file, globals, escape }: Dockerfile, buildArgs: Variables): Variables {
  const values = new Map(platformArgs);
  for (const { line, text } of globals) {
    const declared = attempt({ file }, line, () => declaredArgs(text, escape));
    for (const [name, standard] of declared) {
      const value = attempt({ file }, line, () => expandWord(standard ?? "", values, escape));
      const given = buildArgs.get(name);
      if (given !== undefined) values.set(name, given);
      else if (standard !== undefined) values.set(name, value);
    }
  }
  return values;
}

/** Returns the names of an ARG and their defaults. @throws Error */
export function declaredArgs(
  text: string,
  escape: string,
): readonly (readonly [name: string, standard: string | undefined])[] {
  return splitWords(text, escape).map((word) => {
    if (!word.includes("=")) return [word, undefined];
    return namedValues("ARG", word, escape)[0] ?? [word, undefined];
  });
}

const architecture = process.arch === "x64" ? "amd64" : process.arch;
export const platform = `linux/${architecture}`;

/** The arguments that upstream's builder predefines. */
const platformArgs: readonly (readonly [string, string])[] = ["BUILD", "TARGET"].flatMap((kind) => [
  [`${kind}PLATFORM`, platform],
  [`${kind}OS`, "linux"],
  [`${kind}ARCH`, architecture],
  [`${kind}VARIANT`, ""],
]);

/** Adds file and line to an error. */
export function attempt<T>({ file }: { readonly file: string }, line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DockerfileError) throw error;
    throw new DockerfileError(file, line, error instanceof Error ? error.message : String(error), error);
  }
}
