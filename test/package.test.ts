import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

  it("embeds a cluster through its entry points", () => {
    const program = `
      import { startCluster, VirtualClock } from "knarr/testing";
      import { pods } from "knarr/api";
      const clock = new VirtualClock();
      const cluster = await startCluster({ nodes: 3, clock, seed: 1 });
      await cluster.client.of(pods, "default").create({
        metadata: { name: "web" },
        spec: { containers: [{ name: "web", image: "example/web" }] },
      });
      await clock.advance(3_600_000);
      const { status } = await cluster.client.of(pods, "default").get("web");
      console.log(status.phase);
      await cluster.stop();
    `;
    writeFileSync(join(folder, "main.js"), program);
    expect(run(process.execPath, ["main.js"])).toBe("Running\n");
  });
});
