import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "./errors.ts";
import { inClusterContext } from "./in-cluster.ts";

const variables = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

describe("the connection from inside a cluster", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-account-"));
    writeFileSync(join(directory, "token"), "first\n");
    writeFileSync(join(directory, "ca.crt"), "certificate");
    writeFileSync(join(directory, "namespace"), "team");
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it("uses the Service's address and the Pod's ServiceAccount", async () => {
    const { connection, namespace } = await inClusterContext(variables, directory);
    expect(namespace).toBe("team");
    expect(connection).toMatchObject({ server: "https://10.96.0.1:443", ca: "certificate" });
    expect(await connection.token?.()).toBe("first");
  });

  it("reads the token for each request", async () => {
    const { connection } = await inClusterContext(variables, directory);
    writeFileSync(join(directory, "token"), "second");
    expect(await connection.token?.()).toBe("second");
  });

  it("puts an IPv6 address into brackets", async () => {
    const { connection } = await inClusterContext(
      { ...variables, KUBERNETES_SERVICE_HOST: "fd00::1" },
      directory,
    );
    expect(connection.server).toBe("https://[fd00::1]:443");
  });

  it("is refused outside of a Pod, and without a token", async () => {
    await expect(inClusterContext({}, directory)).rejects.toThrow(ConfigError);
    rmSync(join(directory, "token"));
    await expect(inClusterContext(variables, directory)).rejects.toThrow(/cannot read .*token/);
  });
});
