import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeFlags, type Flags, parseFlags, UsageError } from "../../cli/flags.ts";
import { printTable } from "../../cli/output/table.ts";
import { ImageStore } from "../../kubelet/images/image-store.ts";
import type { ImageStatus } from "../../kubelet/runtime.ts";
import { systemClock } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { checkImagesAreUsed, imagePlace } from "../image-place.ts";
import { clusterFlags } from "../state-directory.ts";
import { buildDockerfile, dockerfileOf } from "./image-build.ts";
import { inspected, pullImage, push, save } from "./image-registry.ts";

const specs = {
  ...clusterFlags,
  tag: { type: "strings", short: "t", value: "NAME", help: "build: the new image's name; may be repeated." },
  file: {
    type: "string",
    short: "f",
    value: "FILE",
    help: "build: the Dockerfile (default: the folder's own).",
  },
  "build-arg": { type: "strings", value: "NAME=VALUE", help: "build: the value of an ARG; may be repeated." },
  target: { type: "string", value: "STAGE", help: "build: the stage to build (default: the last)." },
  "no-cache": { type: "bool", default: false, help: "build: run every command again." },
  base: {
    type: "string",
    value: "NAME",
    help: "build without a Dockerfile: the image to build on, e.g. knarr.local/host.",
  },
  entrypoint: {
    type: "string",
    value: "COMMAND",
    help: "build without a Dockerfile: the entrypoint, as words.",
  },
  cmd: {
    type: "string",
    value: "COMMAND",
    help: "build without a Dockerfile: what the container runs, as words.",
  },
  env: {
    type: "strings",
    short: "e",
    value: "NAME=VALUE",
    help: "build without a Dockerfile: a variable; may be repeated.",
  },
  user: {
    type: "string",
    short: "u",
    value: "USER",
    help: "build without a Dockerfile: the user, USER or UID:GID.",
  },
  workdir: { type: "string", value: "DIR", help: "build without a Dockerfile: the working directory." },
  output: { type: "string", short: "o", value: "FILE", help: "save: the archive (default: stdout)." },
  all: {
    type: "bool",
    short: "a",
    default: false,
    help: "ls: also images without a name, such as steps of builds.",
  },
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;

const help = `Build, pull, push, import, list and remove images of this machine's node.

Usage:
  knarr image build FOLDER -t NAME      # by the folder's Dockerfile; without one, packs the folder
  knarr image ls
  knarr image inspect NAME
  knarr image tag NAME NEWNAME
  knarr image pull NAME                 # with the credentials of "docker login"
  knarr image push NAME
  knarr image save NAME... -o ARCHIVE   # an OCI and docker archive
  knarr image load ARCHIVE|LAYOUT       # docker save or OCI archive, or an OCI layout folder; also "import"
  knarr image rm NAME
  knarr image prune                     # removes images without a name: the build cache

Without --name and --data-dir, the cluster is the one in ./.knarr, else that of KUBECONFIG, else the only one that runs.

Examples:
  knarr image build . -t knarr.local/app:v1 --build-arg VERSION=1
  knarr image build ./app -t knarr.local/app:v1 --base knarr.local/host --cmd "node /server.js"

Flags:
${describeFlags(specs)}
`;

/** A command's arguments and place. */
interface Call {
  readonly env: Env;
  readonly directory: string;
  readonly store: ImageStore;
  readonly subjects: readonly string[];
  readonly flags: Flags<typeof specs>;
}

const verbs: ReadonlyMap<string, (call: Call) => Promise<void>> = new Map([
  ["ls", list],
  ["import", load],
  ["load", load],
  ["build", build],
  ["pull", async ({ store, subjects }: Call) => report([await pullImage(store, one(subjects, "pull"))])],
  [
    "push",
    async ({ store, subjects }: Call) => {
      process.stdout.write(`${await push(store, one(subjects, "push"))}\n`);
    },
  ],
  [
    "save",
    async ({ store, subjects, flags }: Call) => {
      one(subjects.slice(0, 1), "save");
      await save(store, subjects, flags.output);
    },
  ],
  [
    "inspect",
    async ({ store, subjects }: Call) => {
      const shown = await Promise.all(subjects.map((name) => inspected(store, name)));
      process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
    },
  ],
  ["tag", tag],
  ["rm", remove],
  [
    "prune",
    async ({ store }: Call) => {
      process.stdout.write(`${await store.prune()} images removed\n`);
    },
  ],
]);

/** Verbs that only look at images: without any, there is nothing to do. */
const lookingVerbs = ["ls", "rm", "inspect", "tag", "push", "save", "prune"];

export async function image(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  const [verb = "", ...subjects] = args;
  if (flags.help || verb === "") {
    process.stdout.write(help);
    return 0;
  }
  const run = verbs.get(verb);
  if (run === undefined) throw new UsageError(`unknown command ${JSON.stringify(`image ${verb}`)}`);
  const place = await imagePlace(flags);
  const directory = join(place, "images");
  // A cluster created later will find images that are built or imported now.
  if (lookingVerbs.includes(verb) && !existsSync(directory)) {
    const why = existsSync(place)
      ? `The cluster in ${place} has no images: its nodes are simulated, or nothing was built or imported yet`
      : `There is no cluster in ${place}: go to the folder that it was started in, or name it with --data-dir or --name`;
    throw new Error(why);
  }
  if (!lookingVerbs.includes(verb)) await checkImagesAreUsed(place);
  const env = { clock: systemClock, random: systemRandom, log: silentLogger };
  const store = await ImageStore.open({ directory, env });
  await run({ env, directory: place, store, subjects, flags });
  return 0;
}

async function list({ store, flags }: Call): Promise<void> {
  const shown = (await store.list()).filter(
    ({ tags, digests }) => flags.all || tags.length + digests.length > 0,
  );
  process.stdout.write(printTable(["REFERENCE", "ID", "SIZE"], shown.flatMap(rows)));
}

async function load({ store, subjects }: Call): Promise<void> {
  const [path = ""] = subjects;
  checkPath(path);
  report(await (statSync(path).isDirectory() ? store.importDirectory(path) : store.importArchive(path)));
}

async function build({ env, directory, store, subjects, flags }: Call): Promise<void> {
  const [folder = ""] = subjects;
  checkPath(folder);
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is not a folder`);
  const [first] = flags.tag;
  if (first === undefined) throw new UsageError("build needs a name: -t NAME");
  const file = flags.base === undefined ? dockerfileOf(folder, flags.file) : flags.file;
  const isPlain = file === undefined;
  const unfit = isPlain
    ? (["target", "build-arg"] as const).filter((name) => (flags[name] ?? []).length > 0)
    : (["base", "entrypoint", "cmd", "user", "workdir", "env"] as const).filter(
        (name) => (flags[name] ?? []).length > 0,
      );
  if (unfit.length > 0)
    throw new UsageError(
      `--${unfit.join(", --")} ${isPlain ? "needs a Dockerfile" : "is for builds without a Dockerfile"}`,
    );
  if (!isPlain) {
    const { target, tag: tags, "build-arg": buildArgs, "no-cache": noCache } = flags;
    const parts = { env, directory, images: store, folder, file, tags, buildArgs, target };
    await buildDockerfile({ ...parts, usesCache: !noCache });
    report([await present(store, first)]);
    return;
  }
  const bad = flags.env.find((variable) => !/^[^=]+=/.test(variable));
  if (bad !== undefined) throw new UsageError(`--env must be NAME=VALUE, not ${JSON.stringify(bad)}`);
  const config = {
    ...(flags.entrypoint === undefined ? {} : { entrypoint: words(flags.entrypoint), cmd: [] }),
    ...(flags.cmd === undefined ? {} : { cmd: words(flags.cmd) }),
    ...(flags.workdir === undefined ? {} : { workingDir: flags.workdir }),
    ...(flags.user === undefined ? {} : { user: flags.user }),
  };
  const built = await store.build({
    folder,
    tag: first,
    config,
    env: flags.env,
    ...(flags.base !== undefined && { base: flags.base }),
  });
  for (const name of flags.tag.slice(1)) await store.tag(built.id, name);
  report([await present(store, first)]);
}

async function tag({ store, subjects }: Call): Promise<void> {
  const [from, to] = subjects;
  if (from === undefined || to === undefined) throw new UsageError("tag needs an image and its new name");
  await store.tag(from, to);
}

async function remove({ store, subjects }: Call): Promise<void> {
  const subject = one(subjects, "rm");
  if ((await store.inspect(subject)) === undefined)
    throw new Error(`Cannot remove ${subject}: there is no such image`);
  await store.remove(subject);
}

function one(subjects: readonly string[], verb: string): string {
  const [subject = "", ...excess] = subjects;
  if (subject === "" || excess.length > 0) throw new UsageError(`${verb} needs the name of an image`);
  return subject;
}

async function present(store: ImageStore, name: string): Promise<ImageStatus> {
  const found = await store.inspect(name);
  if (found === undefined) throw new Error(`${name} was removed by another command`);
  return found;
}

/** Splits a command at whitespace. */
function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

function checkPath(path: string): void {
  if (path === "") throw new UsageError("a path is needed");
  if (!existsSync(path)) throw new UsageError(`no such file or directory: ${path}`);
}

function report(images: readonly ImageStatus[]): void {
  for (const { tags, id } of images) process.stdout.write(`${tags.join(", ") || id}\n`);
}

function rows({ tags, digests, id, sizeBytes }: ImageStatus): string[][] {
  const names = tags.length > 0 ? tags : digests;
  return (names.length > 0 ? names : ["<none>"]).map((name) => [name, id.slice(7, 19), humanSize(sizeBytes)]);
}

function humanSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
