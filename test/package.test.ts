import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

describe("the package, packed and installed in an empty folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "knarr-package-"));
  const run = (program: string, args: readonly string[], cwd = folder) =>
    execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

  /** Runs a program and returns its output, even when the program fails. */
  const runToEnd = (program: string, args: readonly string[]) => {
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
    return { status, printed: stdout + stderr };
  };
  const exampleOf = (readme: string) =>
    /```ts\n(.*?)```/s.exec(readFileSync(join(root, readme), "utf8"))?.[1] ?? "";

  beforeAll(() => {
    const [archive = ""] = run("npm", ["pack", root, "--silent"]).trim().split("\n").slice(-1);
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: "user", private: true, type: "module" }),
    );
    run("npm", ["install", `./${archive}`, "--prefer-offline", "--no-audit", "--no-fund"]);
  }, 120_000);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows its help", () => {
    expect(run(process.execPath, ["node_modules/.bin/knarr", "up", "--help"])).toContain(
      "Start a Kubernetes cluster on this machine.",
    );
  });

  it("starts a cluster from its bundle alone", async () => {
    const inPackage = (name: string) => join(folder, "node_modules/knarr", name);
    const alone = join(folder, "alone");
    for (const name of ["bin", "dist/bundle", "package.json"])
      cpSync(inPackage(name), join(alone, name), { recursive: true });
    const flags = ["--runtime", "simulated", "--port", "0", "--output", "json", "--cleanup"];
    const knarr = spawn(
      process.execPath,
      [join(alone, "bin/knarr.js"), "up", "--data-dir", join(folder, "data"), ...flags],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const ended = once(knarr, "exit");
    const printed = text(knarr.stderr);
    const [ready] = (await Promise.race([once(knarr.stdout, "data"), ended])) as [unknown];
    knarr.kill("SIGTERM");
    expect(await printed).toBe("");
    expect(JSON.parse(String(ready))).toMatchObject({ server: expect.stringMatching(/^https:/) });
    expect(await ended).toEqual([0, null]);
  });

  it("has the entry point of each process and thread beside the code that starts it", () => {
    const dist = join(folder, "node_modules/knarr/dist");
    const started = globSync("**/*.js", { cwd: dist }).flatMap((file) =>
      [
        ...readFileSync(join(dist, file), "utf8").matchAll(/`(?:\.\/)?([\w-]+)\$\{extname\(import\.meta/g),
      ].map(([, name]) => join(dirname(file), `${name}.js`)),
    );
    expect(started.sort()).toEqual([
      "apiserver/yaml/yaml-worker.js",
      ...["worker.js", "yaml-worker.js"].map((name) => join("bundle", name)),
    ]);
    for (const file of started) expect(statSync(join(dist, file)).size).toBeGreaterThan(0);
  });

  it("has the licenses of everything in its bundle", () => {
    const licenses = readFileSync(join(folder, "node_modules/knarr/dist/bundle/LICENSES.txt"), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      dependencies: Readonly<Record<string, string>>;
    };
    for (const [name, version] of Object.entries(dependencies))
      expect(licenses).toContain(`${name} ${version} (`);
  });

  it("embeds a cluster as the README shows", () => {
    writeFileSync(join(folder, "main.js"), exampleOf("README.md"));
    expect(run(process.execPath, ["main.js"])).toBe("Running\n");
  });

  it("loses a node as the README of knarr/testing shows", () => {
    writeFileSync(join(folder, "testing.js"), exampleOf("src/testing/README.md"));
    expect(run(process.execPath, ["testing.js"])).toBe("node-1,node-2,node-3\n");
  });

  it("has declarations that the examples of all READMEs compile with", () => {
    const readmes = [
      "README.md",
      ...["client", "operator", "testing"].map((name) => `src/${name}/README.md`),
    ];
    const files = readmes.map((readme, index) => {
      writeFileSync(join(folder, `example-${index}.ts`), exampleOf(readme));
      return `example-${index}.ts`;
    });
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: "NodeNext",
      target: "ES2024",
      types: ["node"],
      typeRoots: ["types"],
    };
    symlinkSync(join(root, "node_modules/@types"), join(folder, "types"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    expect(runToEnd(join(root, "node_modules/.bin/tsc"), ["-p", folder])).toEqual({ status: 0, printed: "" });
  });

  it("is small: declarations of at most 2 MB", () => {
    const declarations = globSync("node_modules/knarr/dist/**/*.d.ts", { cwd: folder });
    const size = declarations.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThan(2_000_000);
  });

  it("contains its documents and examples", () => {
    const files = ["README.md", "CHANGELOG.md", "docs/conformance.md", "examples/guestbook/deployment.yaml"];
    for (const file of files)
      expect(statSync(join(folder, "node_modules/knarr", file)).size).toBeGreaterThan(0);
  });
});
