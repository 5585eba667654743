import { join } from "node:path";
import { sha256 } from "../images/digest.ts";
import {
  emptyDocument,
  formatDocument,
  historyEntry,
  parseDocument,
  type ImageDocument,
} from "../images/image-document.ts";
import type { ImageStore } from "../images/image-store.ts";
import type { ImageBind } from "../images/image.ts";
import { parseReference, tagName } from "../images/reference.ts";
import { applySetting, commandOf } from "./apply-setting.ts";
import { copyFiles } from "./copy-files.ts";
import { checkAdd, flagOf, modeOf, refuseArchives, refuseWhiteouts } from "./copy-flags.ts";
import { DockerfileError } from "./dockerfile/dockerfile-error.ts";
import { expandWord, type Variables } from "./dockerfile/expand.ts";
import { type Dockerfile, type Instruction, instructionText } from "./dockerfile/parse-dockerfile.ts";
import { splitWords } from "./dockerfile/words.ts";
import { layerDiff } from "./layer-diff.ts";
import { openMergedView } from "./merged-view.ts";
import { resolveOwner } from "./owner.ts";
import { declaredArgs, planStages, platform, stageIndex, type PlannedStage } from "./plan-stages.ts";
import type { CommandRunner } from "./run-command.ts";
import type { Ignore } from "./tree/ignore.ts";
import { LayersTree } from "./tree/layers-tree.ts";
import { cleanParts, resolveInTree, type Tree } from "./tree/tree.ts";
import { writeLayer, type LayerEntry } from "./write-layer.ts";

/** The listener to a build's steps. */
export interface BuildProgress {
  readonly begin: (title: string) => void;
  /** A line of the present step's command. */
  readonly output: (line: string) => void;
  readonly done: (title: string, isCached: boolean) => void;
  readonly warn: (text: string) => void;
}

export interface BuildRequest {
  readonly dockerfile: Dockerfile;
  readonly context: Tree;
  readonly ignore: Ignore;
  readonly images: ImageStore;
  /** The image's names. */
  readonly tags: readonly string[];
  /** `--build-arg`. */
  readonly buildArgs: Variables;
  readonly target?: string | undefined;
  readonly usesCache: boolean;
  /** SOURCE_DATE_EPOCH in seconds. */
  readonly epoch?: number | undefined;
  /** Pulls the image of a FROM that is not on this node. */
  readonly pull: (reference: string) => Promise<unknown>;
  /** Opens the runner before the first RUN that is not in the cache. @throws Error where commands cannot run */
  readonly openRunner: () => Promise<CommandRunner>;
  readonly progress: BuildProgress;
  readonly signal: AbortSignal;
}

/** A stage so far. */
interface StageState {
  readonly document: ImageDocument;
  readonly hasOwnCmd: boolean;
  readonly binds: readonly ImageBind[];
  /** The directories of its layers, lowest first. */
  readonly layers: readonly string[];
  /** The ARGs that are declared. */
  readonly args: Variables;
}

/** The ARGs that need no declaration, and change no cache key (Dockerfile reference: "Predefined ARGs"). */
const predefined = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** Builds an image of a Dockerfile. Resolves to its ID. @throws DockerfileError with file and line */
export async function buildImage(request: BuildRequest): Promise<string> {
  const build = new Build(request);
  return build.run();
}

class Build {
  readonly #request: BuildRequest;
  readonly #stages = new Map<number, StageState>();
  readonly #usedArgs = new Set<string>(["SOURCE_DATE_EPOCH", ...predefined]);
  #globals: Variables = new Map();
  #runner: CommandRunner | undefined;

  constructor(request: BuildRequest) {
    this.#request = request;
  }

  async run(): Promise<string> {
    const { dockerfile, target, buildArgs, images, tags, progress, epoch } = this.#request;
    for (const warning of dockerfile.warnings) progress.warn(warning);
    const { stages, globals } = planStages(dockerfile, target, buildArgs);
    this.#globals = globals;
    for (const { text } of dockerfile.globals)
      for (const [name] of declaredArgs(text, dockerfile.escape)) this.#usedArgs.add(name);
    for (const planned of stages)
      this.#stages.set(planned.index, await this.#stage(planned, stages.length > 1));
    const last = this.#stages.get(stages.at(-1)?.index ?? 0);
    if (last === undefined) throw new Error("Cannot build: there are no stages");
    const unused = [...buildArgs.keys()].filter((name) => !this.#usedArgs.has(name));
    if (unused.length > 0) progress.warn(`build-args that no ARG declares: ${unused.join(", ")}`);
    return images.commit({
      config: formatDocument(last.document, epoch),
      below: last.document.diffIds,
      tags: tags.map((tag) => tagName(parseReference(tag))),
      buildKeys: [],
      binds: last.binds,
    });
  }

  async #stage({ index, stage, from }: PlannedStage, named: boolean): Promise<StageState> {
    const { progress, signal } = this.#request;
    const count = stage.instructions.length + 1;
    const prefix = named ? `${stage.name ?? `stage-${index}`} ` : "";
    const title = (step: number, text: string) => `[${prefix}${step}/${count}] ${text}`;
    const first = title(1, `FROM ${stage.from}`);
    progress.begin(first);
    let state = await this.#located(stage.line, () => this.#base(from, stage.platform));
    progress.done(first, false);
    for (const [step, instruction] of stage.instructions.entries()) {
      signal.throwIfAborted();
      const { line } = instruction;
      const shown = title(step + 2, instructionText(instruction));
      progress.begin(shown);
      const result = await this.#located(line, () => this.#step(state, instruction, index));
      progress.done(shown, result.isCached);
      state = result.state;
    }
    return state;
  }

  async #base(from: number | string, wanted: string | undefined): Promise<StageState> {
    const { escape } = this.#request.dockerfile;
    const here = wanted === undefined ? platform : expandWord(wanted, this.#globals, escape);
    if (here !== platform) throw new Error(`platform ${here} is not supported: this machine is ${platform}`);
    if (typeof from === "string") return this.#image(from);
    const stage = this.#stages.get(from);
    if (stage === undefined) throw new Error(`stage ${from} is not built yet`);
    return { ...stage, hasOwnCmd: false, args: new Map() };
  }

  async #image(reference: string): Promise<StageState> {
    const { images, pull } = this.#request;
    const start = { hasOwnCmd: false, args: new Map<string, string>() };
    if (reference === "scratch") return { ...start, document: emptyDocument, binds: [], layers: [] };
    if ((await images.details(reference)) === undefined) await pull(reference);
    const details = await images.details(reference);
    if (details === undefined) throw new Error(`${reference} is not on this node`);
    const document = parseDocument(details.config);
    if (document.onBuild.length > 0)
      throw new Error(`${reference} has ONBUILD instructions, which are not supported`);
    return { ...start, document, binds: details.record.binds, layers: details.layers };
  }

  async #step(state: StageState, instruction: Instruction, index: number): Promise<StepResult> {
    const { escape } = this.#request.dockerfile;
    switch (instruction.name) {
      case "ARG":
        return { state: this.#declare(state, instruction), isCached: false };
      case "RUN":
        return this.#run(state, instruction);
      case "COPY":
      case "ADD":
        return this.#copy(state, instruction, index);
      default: {
        const { document, hasOwnCmd } = state;
        const stage = { settings: document.settings, hasOwnCmd };
        const next = applySetting(stage, instruction, variablesOf(state), escape);
        const after = { ...state, hasOwnCmd: next.hasOwnCmd };
        const settled = { ...after, document: { ...document, settings: next.settings } };
        if (instruction.name === "WORKDIR") return this.#workdir(settled, instruction);
        return { state: this.#noted(settled, instruction, true), isCached: false };
      }
    }
  }

  #declare(state: StageState, { text }: Instruction): StageState {
    const { buildArgs, dockerfile } = this.#request;
    const args = new Map(state.args);
    for (const [name, standard] of declaredArgs(text, dockerfile.escape)) {
      this.#usedArgs.add(name);
      const scope = new Map([...args, ...environment(state)]);
      const value =
        buildArgs.get(name) ??
        (standard === undefined ? this.#globals.get(name) : expandWord(standard, scope, dockerfile.escape));
      if (value !== undefined) args.set(name, value);
    }
    return { ...state, args };
  }

  async #run(state: StageState, instruction: Instruction): Promise<StepResult> {
    const { images, usesCache, epoch, openRunner, progress, signal } = this.#request;
    const { document, binds } = state;
    const command = commandOf(document.settings, instruction);
    const declared = [...state.args].filter(([name]) => !predefined.includes(name)).toSorted(byName);
    const parent = formatDocument(document, epoch);
    const key = sha256(JSON.stringify(["RUN", parent, command, declared]));
    const known = usesCache ? await images.built(key) : undefined;
    if (known !== undefined) {
      const image = await this.#image(known);
      return { state: { ...state, document: image.document, layers: image.layers }, isCached: true };
    }
    this.#runner ??= await openRunner();
    const runner = this.#runner;
    const image = await images.commit({
      config: parent,
      below: document.diffIds,
      tags: [],
      buildKeys: [],
      binds,
    });
    return images.withWorkshop(async (directory) => {
      const variables = new Map([...this.#proxies(), ...state.args, ...environment(state)]);
      const result = await runner.run({
        image,
        command,
        variables,
        directory,
        output: progress.output,
        signal,
      });
      try {
        if (result.exitCode !== 0)
          throw new Error(
            `${JSON.stringify(command.join(" "))} did not complete successfully: exit code: ${result.exitCode}`,
          );
        const entries = await this.#written(image, result.upper, directory, async (diff) =>
          this.#layer(state, instruction, diff, directory, key),
        );
        return { state: entries, isCached: false };
      } finally {
        await result.remove();
      }
    });
  }

  /** Calls `work` with the changes that a command has made, while its files can be read. */
  async #written<T>(
    image: string,
    upper: string,
    directory: string,
    work: (entries: readonly LayerEntry[]) => Promise<T>,
  ): Promise<T> {
    const resolved = await this.#request.images.resolve(image);
    if (resolved === undefined) throw new Error("the image was removed during the build");
    const { layersDirectory, layers } = resolved;
    const lower = new LayersTree(layers.map((name) => join(layersDirectory, name)));
    const view = await openMergedView(layersDirectory, layers, upper, directory);
    try {
      return await work(await layerDiff({ merged: view.root, upper, lower, latest: this.#request.epoch }));
    } finally {
      await view.close();
    }
  }

  #proxies(): readonly (readonly [string, string])[] {
    return [...this.#request.buildArgs].filter(([name]) => predefined.includes(name));
  }

  async #copy(state: StageState, instruction: Instruction, index: number): Promise<StepResult> {
    const { context, ignore, dockerfile, images } = this.#request;
    const { escape } = dockerfile;
    const { name, flags, text, exec } = instruction;
    const expand = (word: string) => expandWord(word, variablesOf(state), escape);
    const words = (exec ?? splitWords(text, escape)).map(expand);
    const destination = words.pop() ?? "";
    if (words.length === 0 || destination === "" || words.includes(""))
      throw new Error(`${name} requires at least two arguments`);
    if (name === "ADD") checkAdd(words);
    const into = treeOf(state);
    const source = flags.get("from");
    const from = source === undefined ? context : treeOf(await this.#source(source, index));
    const entries = await copyFiles({
      from,
      ignore: source === undefined ? ignore : undefined,
      sources: words,
      destination,
      into,
      workingDir: state.document.settings.workingDir,
      owner: resolveOwner(flagOf(flags, "chown", expand), into),
      mode: modeOf(flagOf(flags, "chmod", expand)),
    });
    refuseWhiteouts(entries);
    if (name === "ADD") refuseArchives(entries);
    return images.withWorkshop(async (directory) => this.#added(state, instruction, entries, directory));
  }

  async #source(name: string, index: number): Promise<StageState> {
    const stage = stageIndex(this.#request.dockerfile, name, index);
    return (stage === undefined ? undefined : this.#stages.get(stage)) ?? (await this.#image(name));
  }

  /** Makes the directory, because commands and containers start in it. */
  async #workdir(state: StageState, instruction: Instruction): Promise<StepResult> {
    const tree = treeOf(state);
    const path = resolveInTree(tree, state.document.settings.workingDir);
    const parts = cleanParts(path);
    const entries = parts.flatMap((_, index): readonly LayerEntry[] => {
      const directory = parts.slice(0, index + 1).join("/");
      const present = tree.lookup(directory);
      if (present !== undefined && present.type !== "directory")
        throw new Error(`/${directory} is not a directory`);
      if (present !== undefined) return [];
      return [{ path: directory, type: "directory", mode: 0o755, uid: 0, gid: 0 }];
    });
    if (entries.length === 0) return { state: this.#noted(state, instruction, true), isCached: false };
    return this.#request.images.withWorkshop(async (directory) =>
      this.#added(state, instruction, entries, directory),
    );
  }

  async #added(
    state: StageState,
    instruction: Instruction,
    entries: readonly LayerEntry[],
    directory: string,
  ): Promise<StepResult> {
    // The content is the key: an equal layer on the same layers is not unpacked again.
    const before = new Set((await this.#request.images.list()).map(({ id }) => id));
    const next = await this.#layer(state, instruction, entries, directory);
    const id = sha256(formatDocument(next.document, this.#request.epoch));
    return { state: next, isCached: before.has(id) };
  }

  /** Stores the stage with one more layer. */
  async #layer(
    state: StageState,
    instruction: Instruction,
    entries: readonly LayerEntry[],
    directory: string,
    key?: string,
  ): Promise<StageState> {
    const { images, epoch = 0 } = this.#request;
    const file = "layer.tar";
    const { digest, size } = await writeLayer(entries, join(directory, file), epoch);
    const noted = this.#noted(state, instruction, false);
    const document = { ...noted.document, diffIds: [...state.document.diffIds, digest] };
    const id = await images.commit({
      config: formatDocument(document, this.#request.epoch),
      below: state.document.diffIds,
      layer: { directory, file, digest, size },
      tags: [],
      buildKeys: key === undefined ? [] : [key],
      binds: state.binds,
    });
    const details = await images.details(id);
    if (details === undefined) throw new Error("the image was removed during the build");
    return { ...noted, document, layers: details.layers };
  }

  #noted(state: StageState, instruction: Instruction, isEmpty: boolean): StageState {
    const { document } = state;
    const entry = historyEntry({ createdBy: instructionText(instruction), isEmpty }, this.#request.epoch);
    return { ...state, document: { ...document, history: [...document.history, entry] } };
  }

  /** Adds file and line to an error of a step. */
  async #located<T>(line: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DockerfileError || this.#request.signal.aborted) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new DockerfileError(this.#request.dockerfile.file, line, why, error);
    }
  }
}

interface StepResult {
  readonly state: StageState;
  readonly isCached: boolean;
}

/** ENV takes precedence over ARG. */
function variablesOf(state: StageState): Variables {
  return new Map([...state.args, ...environment(state)]);
}

function environment({ document }: StageState): readonly (readonly [string, string])[] {
  return document.settings.env.map((entry) => {
    const at = entry.indexOf("=");
    return at < 0 ? [entry, ""] : [entry.slice(0, at), entry.slice(at + 1)];
  });
}

function treeOf({ layers }: StageState): Tree {
  return new LayersTree(layers.toReversed());
}

function byName(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : 1;
}
