import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { ImageStore } from "../images/image-store.ts";
import { nativeUnavailable } from "../native/native-runtime.ts";
import { buildImage, type BuildRequest } from "./build-image.ts";
import { parseDockerfile } from "./dockerfile/parse-dockerfile.ts";
import { NativeRunner } from "./native-runner.ts";
import { DirectoryTree } from "./tree/directory-tree.ts";
import { Ignore } from "./tree/ignore.ts";
import { LayersTree } from "./tree/layers-tree.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
let directory: string;
let folder: string;
let images: ImageStore;
let steps: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knarr-build-"));
  folder = join(directory, "context");
  await mkdir(folder);
  images = await ImageStore.open({ directory: join(directory, "images"), env });
  steps = [];
});
afterEach(() => rm(directory, { recursive: true }));

/** Builds from lines, with files of the context by path. */
async function build(
  lines: readonly string[],
  more: Partial<BuildRequest> & { readonly ignored?: string } = {},
): Promise<string> {
  const context = new DirectoryTree(folder);
  try {
    return await buildImage({
      dockerfile: parseDockerfile("Dockerfile", lines.join("\n")),
      context,
      ignore: new Ignore(more.ignored ?? ""),
      images,
      tags: ["knarr.local/test:1"],
      buildArgs: new Map(),
      usesCache: true,
      pull: (reference) => images.pull(reference),
      openRunner: () => Promise.reject(new Error("no containers here")),
      progress: {
        begin: () => {},
        output: (line) => steps.push(line),
        done: (title, isCached) => steps.push(`${title}${isCached ? " CACHED" : ""}`),
        warn: (text) => steps.push(text),
      },
      signal: new AbortController().signal,
      ...more,
    });
  } finally {
    context.close();
  }
}

async function files(id: string): Promise<LayersTree> {
  const details = await images.details(id);
  return new LayersTree((details?.layers ?? []).toReversed());
}

async function put(path: string, content: string, mode = 0o644): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), content, { mode });
}

async function settings(id: string): Promise<unknown> {
  const details = await images.details(id);
  const document: { config?: unknown } = JSON.parse(details?.config ?? "{}");
  return document.config;
}

describe("a build", () => {
  test("copies files, directories and patterns by upstream's rules", async () => {
    await put("a.txt", "a", 0o755);
    await put("d/b.txt", "b");
    await put("d/c.md", "c");
    await put("secret.env", "s");
    await symlink("a.txt", join(folder, "link"));
    const id = await build(
      [
        "FROM scratch",
        "COPY a.txt /x/",
        "COPY d /y",
        "COPY *.txt link /z/",
        "COPY --chmod=600 --chown=5:6 d/b.txt w",
      ],
      { ignored: "*.env\n**/*.md" },
    );
    const tree = await files(id);
    expect(tree.list("")).toEqual(["w", "x", "y", "z"]);
    expect(tree.lookup("x/a.txt")).toMatchObject({ type: "file", mode: 0o755, uid: 0 });
    expect(tree.list("y")).toEqual(["b.txt"]);
    expect(tree.list("z")).toEqual(["a.txt"]);
    expect(tree.readText("w", 9)).toBe("b");
    if (process.getuid?.() === 0) expect(tree.lookup("w")).toMatchObject({ mode: 0o600, uid: 5, gid: 6 });
  });

  test("sets everything that an image's configuration has", async () => {
    const id = await build(
      [
        "ARG BASE=scratch",
        "FROM ${BASE}",
        "ARG N=1",
        "ENV A=$N B='x y'",
        "ENV C $A",
        "LABEL l=$B",
        "EXPOSE 80 53/udp",
        'VOLUME ["/data"]',
        "USER 7:8",
        "STOPSIGNAL quit",
        'SHELL ["/bin/ash", "-c"]',
        "CMD old",
        'ENTRYPOINT ["/e"]',
        "CMD run me",
      ],
      {
        buildArgs: new Map([
          ["N", "2"],
          ["M", "3"],
        ]),
      },
    );
    expect(await settings(id)).toEqual({
      Env: ["A=2", "B=x y", "C=2"],
      Labels: { l: "x y" },
      ExposedPorts: { "80/tcp": {}, "53/udp": {} },
      Volumes: { "/data": {} },
      User: "7:8",
      StopSignal: "SIGQUIT",
      Shell: ["/bin/ash", "-c"],
      Entrypoint: ["/e"],
      Cmd: ["/bin/ash", "-c", "run me"],
    });
    expect(steps).toContain("build-args that no ARG declares: M");
  });

  test("copies between stages, and builds only those that the target needs", async () => {
    await put("a", "1");
    const lines = [
      "FROM scratch AS one",
      "COPY a /a",
      "FROM scratch AS unused",
      "RUN never",
      "FROM scratch AS two",
      "COPY --from=one /a /b",
      "FROM two",
      "COPY --from=0 a /c",
    ];
    const tree = await files(await build(lines));
    expect(tree.list("")).toEqual(["b", "c"]);
    expect((await files(await build(lines, { target: "one" }))).list("")).toEqual(["a"]);
  });

  test("has the same digest for the same input, and another for another", async () => {
    await put("a", "1");
    const first = await build(["FROM scratch", "COPY a /"]);
    const second = await build(["FROM scratch", "COPY a /"]);
    expect(second).toBe(first);
    expect(steps).toContain("[2/2] COPY a / CACHED");
    await put("a", "2");
    expect(await build(["FROM scratch", "COPY a /"])).not.toBe(first);
    const dated = await build(["FROM scratch", "COPY a /"], { epoch: 86_400 });
    expect((await files(dated)).lookup("a")?.mtimeMs).toBe(86_400_000);
    expect((await images.details(dated))?.config).toContain("1970-01-02T00:00:00.000Z");
  });

  test("follows the stage's links, which never lead out of it", async () => {
    await put("a", "1");
    await mkdir(join(folder, "root"));
    await symlink("/../../real", join(folder, "root", "lib"));
    await mkdir(join(folder, "root", "real"));
    const id = await build(["FROM scratch", "COPY root /", "COPY a /lib/", "WORKDIR /lib/w"]);
    const tree = await files(id);
    expect(tree.lookup("lib")?.type).toBe("symlink");
    expect(tree.list("real")).toEqual(["a", "w"]);
  });

  test("reads nothing outside of the context", async () => {
    await writeFile(join(directory, "outside"), "secret");
    await symlink("../outside", join(folder, "up"));
    await symlink(join(directory, "outside"), join(folder, "absolute"));
    await symlink("..", join(folder, "parent"));
    for (const source of ["up", "absolute", "parent/outside", "../outside"])
      await expect(build(["FROM scratch", `COPY ${source} /`])).rejects.toThrow("not found");
  });

  test.each([
    [["FROM scratch", "", "COPY none /"], 'Dockerfile:3: "/none": not found'],
    [["FROM scratch", "COPY a b /c"], "must be a directory and end with a /"],
    [["FROM scratch", "COPY --chown=bob a /"], "unable to find user bob"],
    [["FROM scratch", "COPY --chmod=+x a /"], "invalid chmod parameter"],
    [["FROM scratch", "ADD http://127.0.0.1/x /"], "ADD of http://127.0.0.1/x is not supported"],
    [["FROM scratch", "ADD x.tar /"], "ADD of an archive (x.tar) is not supported"],
    [["FROM scratch", "COPY .wh.a /"], "names that begin with .wh."],
    [["FROM scratch", "RUN x"], "Dockerfile:2: no containers here"],
    [["FROM --platform=linux/s390x scratch"], "platform linux/s390x is not supported"],
    [["FROM knarr.local/none"], "Dockerfile:1: Cannot pull knarr.local/none"],
    [["FROM scratch", "EXPOSE 0"], "invalid containerPort: 0"],
    [["FROM scratch", "COPY a /d/", "COPY b /d/a/"], "it is not a directory"],
  ])("refuses %j with file and line", async (lines, message) => {
    for (const name of ["a", "b", "x.tar", ".wh.a"]) await put(name, name);
    await expect(build(lines)).rejects.toThrow(message);
  });
});

const obstacle = nativeUnavailable();

describe.skipIf(obstacle !== undefined)(`a RUN${obstacle === undefined ? "" : ` (${obstacle})`}`, () => {
  let runner: NativeRunner | undefined;
  afterEach(async () => {
    await runner?.close();
    runner = undefined;
  });
  const openRunner = async () => {
    const own = { env, images, directory: join(directory, "run"), cgroup: `knarr-build-${process.pid}` };
    return (runner ??= await NativeRunner.open(own));
  };

  test("makes a layer of what it adds, changes and removes, and runs once", async () => {
    await put("d/old", "old");
    await put("e/gone", "gone");
    await put("keep", "keep");
    const lines = [
      "FROM knarr.local/host",
      "ARG WHO=me",
      "WORKDIR /w",
      "COPY . .",
      "RUN rm -r d && mkdir d && echo $WHO > d/new && rm e/gone && ln d/new hard && chmod 700 keep && echo said",
      "USER 65534",
      "RUN id -u > /tmp/user",
    ];
    const tree = await files(await build(lines, { openRunner }));
    expect(steps).toContain("said");
    expect(tree.list("w")).toEqual(["d", "e", "hard", "keep"]);
    expect(tree.list("w/d")).toEqual(["new"]);
    expect(tree.list("w/e")).toEqual([]);
    expect(tree.readText("w/hard", 9)).toBe("me\n");
    expect(tree.lookup("w/keep")?.mode).toBe(0o700);
    expect(tree.readText("tmp/user", 9)).toBe("65534\n");
    await runner?.close();
    runner = undefined;
    await build(lines);
    expect(steps.filter((step) => /RUN .* CACHED$/.test(step))).toHaveLength(2);
    await expect(build(lines, { usesCache: false })).rejects.toThrow("Dockerfile:5: no containers here");
    await expect(build(lines, { buildArgs: new Map([["WHO", "you"]]) })).rejects.toThrow("Dockerfile:5");
  });

  test("sees no network, no host files and no other rights than a Pod's container", async () => {
    await writeFile(join(directory, "host"), "host");
    const script = `ls /sys/class/net > /n; test ! -e ${directory}/host; ! mount -t tmpfs none /mnt 2>/dev/null`;
    const tree = await files(await build(["FROM knarr.local/host", `RUN ${script}`], { openRunner }));
    expect(tree.readText("n", 99)).toBe("lo\n");
    expect(await readFile(join(directory, "host"), "utf8")).toBe("host");
  });

  test("fails with the line and the exit code, and leaves no container", async () => {
    await expect(build(["FROM knarr.local/host", "RUN exit 3"], { openRunner })).rejects.toThrow(
      'Dockerfile:2: "/bin/sh -c exit 3" did not complete successfully: exit code: 3',
    );
    await runner?.close();
    runner = undefined;
    await expect(stat(join(directory, "run", "state"))).rejects.toThrow("ENOENT");
  });

  test("ends with the build's interruption", async () => {
    const stop = new AbortController();
    const output = () => stop.abort(new Error("interrupted"));
    const progress = { begin: () => {}, done: () => {}, warn: () => {}, output };
    const lines = ["FROM knarr.local/host", "RUN echo now; sleep 1000000"];
    await expect(build(lines, { openRunner, progress, signal: stop.signal })).rejects.toThrow("interrupted");
  });

  test("refuses a device, and a link's target is the container's", async () => {
    await expect(build(["FROM knarr.local/host", "RUN mknod /d c 1 3"], { openRunner })).rejects.toThrow(
      "a layer with a device is not supported",
    );
    const lines = ["FROM knarr.local/host", "RUN ln -s /etc/shadow /l && ln -s / /root/r"];
    const tree = await files(
      await build([...lines, "FROM scratch", "COPY --from=0 /root /x"], { openRunner }),
    );
    expect(tree.lookup("x/r")?.type).toBe("symlink");
  });
});
