import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { packageRoot } from "../../util/package-root.ts";
import { initProgram } from "./init-program.ts";
import { asOrdinaryUser, ordinaryDirectory, rootlessTestObstacle } from "./ordinary-user.suite.ts";

const obstacle = rootlessTestObstacle();
if (obstacle !== undefined)
  process.stderr.write(`Containers of an ordinary user are not tested: ${obstacle}\n`);

let directory: string;
beforeEach(() => {
  directory = ordinaryDirectory("knarr-rootless-");
});
afterEach(() => {
  endHolder();
  rmSync(directory, { recursive: true, force: true });
});

function endHolder(): void {
  try {
    process.kill(Number.parseInt(readFileSync(join(directory, "holder"), "utf8"), 10), "SIGKILL");
  } catch {
    // There is none, or it has ended.
  }
}

/** Runs a command in the namespaces of a directory, as an ordinary user. */
function inside(command: readonly string[], address = "") {
  const line = [...asOrdinaryUser, initProgram, "rootless", directory, "", "", address, "0", ...command];
  return spawnSync(line[0] ?? "", line.slice(1), {
    encoding: "utf8",
    cwd: fileURLToPath(packageRoot),
    env: { PATH: process.env["PATH"], HOME: directory, TMPDIR: directory },
  });
}

const describeRootless = describe.skipIf(obstacle !== undefined);

describeRootless("the namespaces of an ordinary user", () => {
  test("are found again as long as their holder runs", () => {
    const find = ["/bin/sh", "-c", "id -u; ip -br link show made"];
    expect(inside(["/bin/sh", "-c", "ip link add made type bridge"]).stderr).toBe("");
    expect(inside(find).stdout).toMatch(/^0\nmade /);
    endHolder();
    expect(inside(find).stdout).toBe("0\n");
  });

  test("have a socket that listens in the machine's network, or why there is none", () => {
    const variables = ["/bin/sh", "-c", "env | grep ^KNARR_LISTEN"];
    expect(inside(variables, "127.0.0.1").stdout).toMatch(/^KNARR_LISTENER=\d+\n$/);
    expect(inside(variables, "192.0.2.77").stdout).toBe("KNARR_LISTEN_ERROR=EADDRNOTAVAIL\n");
  });

  test("keep the machine out of reach, but for the relay", () => {
    const { stdout } = inside(
      ["/bin/sh", "-c", "ip -o link | cut -d: -f2; ip route; ls -l $KNARR_RELAY"],
      "127.0.0.1",
    );
    expect(stdout).toMatch(/^ lo\nsrw-------/);
  });
});

describeRootless("the native runtime of an ordinary user", () => {
  test("passes the suite of all runtimes", { timeout: 240_000 }, () => {
    const file = "src/kubelet/native/native-runtime.test.ts";
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--configLoader", "runner", file];
    const { status, stdout, stderr } = inside([process.execPath, ...vitest]);
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(/Tests .*passed/);
  });
});
