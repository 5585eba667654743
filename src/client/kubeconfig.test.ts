import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  kubeconfigPaths,
  loadKubeconfig,
  resolveContext,
  writeKubeconfig,
  type Kubeconfig,
} from "./kubeconfig.ts";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "kubeconfig-"))));
afterEach(() => rm(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString("base64");
const config: Kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "here",
  clusters: [
    { name: "c", cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": base64("CA") } },
  ],
  users: [
    { name: "u", user: { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") } },
  ],
  contexts: [{ name: "here", context: { cluster: "c", user: "u", namespace: "x" } }],
};

describe("a kubeconfig", () => {
  test("reads back as it was written, and only its owner can read it", async () => {
    const path = join(folder, "new", "config");
    await writeFile(join(folder, "other"), "");
    await writeKubeconfig(path, config);
    await writeKubeconfig(path, config);
    expect(await loadKubeconfig([path])).toEqual(config);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "new"))).toEqual(["config"]);
  });

  test("resolves the current context with its certificates", async () => {
    expect(await resolveContext(config)).toEqual({
      namespace: "x",
      connection: {
        server: "https://127.0.0.1:6443",
        insecure: false,
        ca: "CA",
        certificate: { certificate: "CERT", key: "KEY" },
      },
    });
  });

  test("reads certificates and tokens from files beside it, and tokens again for each request", async () => {
    const path = join(folder, "config");
    await writeFile(join(folder, "ca.pem"), "CA FILE");
    await writeFile(join(folder, "token"), "first\n");
    await writeFile(
      path,
      `
current-context: a
clusters: [{ name: c, cluster: { server: "https://x", certificate-authority: ca.pem, tls-server-name: y } }]
users: [{ name: u, user: { tokenFile: token } }]
contexts: [{ name: a, context: { cluster: c, user: u } }]
`,
    );
    const { connection, namespace } = await resolveContext(await loadKubeconfig([path]));
    expect(connection).toMatchObject({ ca: "CA FILE", serverName: "y" });
    expect(namespace).toBe("default");
    expect(await connection.token?.()).toBe("first");
    await writeFile(join(folder, "token"), "second\n");
    expect(await connection.token?.()).toBe("second");
  });

  test("merges files; an earlier file wins", async () => {
    const [one, two] = [join(folder, "one"), join(folder, "two")];
    await writeFile(one, 'contexts: [{ name: a, context: { cluster: first, user: "" } }]\nusers:\n');
    await writeFile(
      two,
      'current-context: b\ncontexts: [{ name: a, context: { cluster: second, user: "" } }, { name: b, context: { cluster: c, user: "" } }]',
    );
    const merged = await loadKubeconfig([one, join(folder, "absent"), two]);
    expect(merged["current-context"]).toBe("b");
    expect(merged.contexts.map(({ name, context }) => `${name}:${context.cluster}`)).toEqual([
      "a:first",
      "b:c",
    ]);
  });

  test("takes its paths from KUBECONFIG, else from the home directory", () => {
    expect(kubeconfigPaths("/a::/b", "/home/me")).toEqual(["/a", "/b"]);
    expect(kubeconfigPaths(undefined, "/home/me")).toEqual(["/home/me/.kube/config"]);
  });

  test("names the mistake in a wrong file", async () => {
    const path = join(folder, "config");
    await writeFile(path, "a: [");
    await expect(loadKubeconfig([path])).rejects.toThrow(`Cannot read kubeconfig ${path}`);
    await expect(resolveContext(config, "there")).rejects.toThrow(
      "Cannot use context there: there is none of this name",
    );
    await expect(resolveContext({ ...config, clusters: [] })).rejects.toThrow("cluster c is missing");
    await expect(resolveContext({ ...config, "current-context": "" })).rejects.toThrow(
      "there is no current one",
    );
  });
});
