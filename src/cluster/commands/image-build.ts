import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { UsageError } from "../../cli/flags.ts";
import { painter } from "../../cli/output/paint.ts";
import { Progress, type Screen } from "../../cli/output/progress.ts";
import { buildImage, type BuildProgress } from "../../kubelet/image-build/build-image.ts";
import { parseDockerfile } from "../../kubelet/image-build/dockerfile/parse-dockerfile.ts";
import { maxDockerfileBytes } from "../../kubelet/image-build/dockerfile/read-lines.ts";
import { DirectoryTree } from "../../kubelet/image-build/tree/directory-tree.ts";
import { Ignore, maxIgnoreBytes } from "../../kubelet/image-build/tree/ignore.ts";
import type { ImageStore } from "../../kubelet/images/image-store.ts";
import type { Env } from "../../util/env.ts";
import { openBuildRunner, type OpenRunner } from "../build-runner.ts";
import { pullImage } from "./image-registry.ts";

export interface DockerfileBuild {
  readonly env: Env;
  /** The cluster's directory. */
  readonly directory: string;
  readonly images: ImageStore;
  /** The context's folder. */
  readonly folder: string;
  /** The Dockerfile; by default the context's own. */
  readonly file: string;
  readonly tags: readonly string[];
  readonly buildArgs: readonly string[];
  readonly target: string | undefined;
  readonly usesCache: boolean;
}

/** Returns the Dockerfile of a build, if it has one: the given one, or that of the folder. */
export function dockerfileOf(folder: string, given: string | undefined): string | undefined {
  if (given !== undefined) return given;
  return ["Dockerfile", "Containerfile"].map((name) => join(folder, name)).find((path) => existsSync(path));
}

/** Builds an image, with progress on the terminal. Resolves to its ID. */
export async function buildDockerfile(build: DockerfileBuild): Promise<string> {
  const { env, directory, images, folder, file, tags, target, usesCache } = build;
  const dockerfile = parseDockerfile(
    relative(process.cwd(), resolve(file)) || file,
    readBounded(file, maxDockerfileBytes),
  );
  const context = new DirectoryTree(folder);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error("the build was interrupted"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  const view = progressView(env);
  let runner: OpenRunner | undefined;
  try {
    return await buildImage({
      dockerfile,
      context,
      ignore: new Ignore(ignoreText(folder, file)),
      images,
      tags,
      buildArgs: new Map(build.buildArgs.map(parseArgument)),
      target,
      usesCache,
      epoch: sourceDateEpoch(),
      pull: (reference) => pullImage(images, reference),
      openRunner: async () =>
        (runner = await openBuildRunner(env, { directory, images, signal: stop.signal })).runner,
      progress: view,
      signal: stop.signal,
    });
  } finally {
    view.end();
    await runner?.close();
    context.close();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}

/** Returns the `.dockerignore` of the Dockerfile, else that of the context (Dockerfile reference). */
function ignoreText(folder: string, file: string): string {
  const own = join(dirname(file), `${basename(file)}.dockerignore`);
  const path = [own, join(folder, ".dockerignore")].find((path) => existsSync(path));
  return path === undefined ? "" : readBounded(path, maxIgnoreBytes);
}

function readBounded(path: string, maxBytes: number): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) throw new UsageError(`no such file: ${path}`);
  if (stat.size > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
  return readFileSync(path, "utf8");
}

/** `NAME=value`, or `NAME` for the value of this process' environment. */
function parseArgument(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, process.env[text] ?? ""] : [text.slice(0, at), text.slice(at + 1)];
}

function sourceDateEpoch(): number | undefined {
  const text = process.env["SOURCE_DATE_EPOCH"];
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,11}$/.test(text))
    throw new UsageError(`SOURCE_DATE_EPOCH must be seconds, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** The build's output goes to stderr, so that stdout has only the image's name. */
function progressView(env: Env): BuildProgress & { readonly end: () => void } {
  const { stderr } = process;
  const paint = painter(stderr);
  const canMove = stderr.isTTY && process.env["TERM"] !== "dumb" && process.env["CI"] === undefined;
  const screen: Screen = {
    write: (text) => stderr.write(text),
    paint,
    columns: () => (canMove ? stderr.columns || 80 : undefined),
  };
  const progress = new Progress(screen, env.clock);
  let begun = 0;
  return {
    begin(title) {
      begun = env.clock.now();
      progress.begin(shortened(title));
    },
    output: (line) => progress.above(() => stderr.write(`   ${paint("dim", printable(line))}\n`)),
    done(title, isCached) {
      const seconds = `${((env.clock.now() - begun) / 1000).toFixed(1)} s`;
      progress.done({ title: shortened(title), detail: isCached ? "CACHED" : seconds });
    },
    warn: (text) => progress.above(() => stderr.write(` ${paint("yellow", "!")} ${printable(text)}\n`)),
    end: () => progress.end(),
  };
}

function shortened(title: string): string {
  const text = printable(title);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Removes control characters, with which a Dockerfile or a command could change the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (character === "\t" ? character : ""));
}
