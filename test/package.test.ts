import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

describe("the package, packed and installed in an empty folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "knarr-package-"));
  const run = (program: string, args: readonly string[], cwd = folder) =>
    execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

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

  it("embeds a cluster as the README shows", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, program = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    writeFileSync(join(folder, "main.js"), program);
    expect(run(process.execPath, ["main.js"])).toBe("Running\n");
  });
});
