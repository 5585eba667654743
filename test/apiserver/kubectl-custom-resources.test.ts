import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";
import { useHttpsServer } from "./https-server.suite.ts";

/** A command with its output against upstream: see fixtures/custom-resources/README.md. */
interface Step {
  readonly command: string;
  readonly input?: string;
  readonly prints: string;
}

const fixture = new URL("../fixtures/custom-resources/kubectl/1.33.jsonl", import.meta.url);
const kubectl = findKubectl("1.33");
const server = useHttpsServer();
const home = mkdtempSync(join(tmpdir(), "knarr-kubectl-"));

beforeAll(() => {
  const { pki, port } = server();
  const pem = (text: string) => Buffer.from(text).toString("base64");
  const config = {
    clusters: [
      {
        name: "c",
        cluster: {
          server: `https://127.0.0.1:${port}`,
          "certificate-authority-data": pem(pki.ca.certificate),
        },
      },
    ],
    users: [
      {
        name: "u",
        user: {
          "client-certificate-data": pem(pki.admin.certificate),
          "client-key-data": pem(pki.admin.key),
        },
      },
    ],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(join(home, "config"), JSON.stringify(config));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.skipIf(kubectl === undefined)(
  "kubectl works with custom resources as with upstream's",
  async () => {
    for (const line of readFileSync(fixture, "utf8").trim().split("\n")) {
      const { command, input = "", prints } = JSON.parse(line) as Step;
      const env = { HOME: home, KUBECONFIG: join(home, "config"), PATH: process.env["PATH"] };
      const child = spawn(kubectl ?? "", command.split(" "), { env });
      const { stdout, stderr } = await collect(child, input);
      expect(masked(stdout + stderr), command).toBe(prints);
    }
  },
  60_000,
);

/** Masks ages and times, which differ from run to run. */
function masked(text: string): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME").replaceAll(/ \d+[smhd]\b/g, " AGE");
}
