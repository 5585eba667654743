import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeFlags, parseFlags, UsageError } from "../../cli/flags.ts";
import { printTable } from "../../cli/output/table.ts";
import { ImageStore } from "../../kubelet/images/image-store.ts";
import type { ImageStatus } from "../../kubelet/runtime.ts";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { clusterFlags, clusterPlace } from "../state-directory.ts";

const specs = {
  ...clusterFlags,
  tag: { type: "string", short: "t", value: "NAME", help: "build: the new image's name." },
  base: { type: "string", value: "NAME", help: "build: the image to build on, e.g. knarr.local/host." },
  cmd: { type: "string", value: "COMMAND", help: "build: what the container runs, as words." },
  workdir: { type: "string", value: "DIR", help: "build: the working directory." },
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;

const help = `Build, import, list and remove images of this machine's node.

Usage:
  knarr image ls
  knarr image import ARCHIVE|LAYOUT     # docker save or OCI archive, or an OCI layout folder
  knarr image build FOLDER -t NAME      # packs a folder as an image
  knarr image rm NAME

Examples:
  knarr image build ./app -t knarr.local/app:v1 --base knarr.local/host --cmd "node /server.js"

Flags:
${describeFlags(specs)}
`;

export async function image(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  const [verb = "", subject = ""] = args;
  if (flags.help || verb === "") {
    process.stdout.write(help);
    return 0;
  }
  const place = clusterPlace(flags);
  const directory = join(place.directory, "images");
  // A cluster created later will find images that are built or imported now; without any, list and remove
  // have nothing to do.
  if ((verb === "ls" || verb === "rm") && !existsSync(directory)) {
    const why = existsSync(place.directory)
      ? `The cluster in ${place.directory} has no images: its nodes are simulated, or nothing was built or imported yet`
      : `There is no cluster in ${place.directory}: go to the folder that it was started in, or name it with --data-dir or --name`;
    throw new Error(why);
  }
  const env = { clock: systemClock, random: systemRandom, log: silentLogger };
  const store = await ImageStore.open({ directory, env });
  switch (verb) {
    case "ls":
      process.stdout.write(printTable(["REFERENCE", "ID", "SIZE"], (await store.list()).flatMap(rows)));
      return 0;
    case "import":
      checkPath(subject);
      report(
        await (statSync(subject).isDirectory()
          ? store.importDirectory(subject)
          : store.importArchive(subject)),
      );
      return 0;
    case "build": {
      checkPath(subject);
      if (flags.tag === undefined) throw new UsageError("build needs a name: -t NAME");
      const config = {
        ...(flags.cmd === undefined ? {} : { cmd: flags.cmd.split(" ").filter((word) => word !== "") }),
        ...(flags.workdir === undefined ? {} : { workingDir: flags.workdir }),
      };
      const base = flags.base === undefined ? {} : { base: flags.base };
      report([await store.build({ folder: subject, tag: flags.tag, config, ...base })]);
      return 0;
    }
    case "rm":
      if (subject === "") throw new UsageError("rm needs the name of an image");
      if ((await store.inspect(subject)) === undefined)
        throw new Error(`Cannot remove ${subject}: there is no such image`);
      await store.remove(subject);
      return 0;
    default:
      throw new UsageError(`unknown command ${JSON.stringify(`image ${verb}`)}`);
  }
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
