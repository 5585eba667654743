import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Exec, KubeConfig, Log, PortForward, type V1Status } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StreamingCluster } from "./streaming-cluster.ts";

let cluster: StreamingCluster;
const config = new KubeConfig();
beforeAll(async () => {
  cluster = await new StreamingCluster().start();
  config.loadFromFile(cluster.kubeconfig);
});
afterAll(() => cluster.stop());

describe("the JavaScript client", () => {
  test("executes a command with input, and gets output and exit code", async () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const status = Promise.withResolvers<V1Status>();
    const command = ["sh", "-c", "cat; echo oops >&2; exit 6"];
    await new Exec(config).exec(
      "default",
      "web",
      "main",
      command,
      stdout,
      stderr,
      stdin,
      false,
      status.resolve,
    );
    stdin.end("typed");
    expect((await status.promise).details?.causes?.[0]?.message).toBe("6");
    expect([stdout.end().read()?.toString(), stderr.read()?.toString()]).toEqual(["typed", "oops\n"]);
  });

  test("follows a log", async () => {
    cluster.node.log.splice(0, Infinity, "first\n");
    const output = new PassThrough();
    await new Log(config).log("default", "web", "main", output, { follow: true });
    expect(String((await once(output, "data"))[0])).toBe("first\n");
    cluster.node.push("second\n");
    cluster.node.endLog();
    expect(await text(output)).toBe("second\n");
  });

  test("forwards a port", async () => {
    const server = createServer((socket: Socket) => socket.end("greetings")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const [input, output] = [new PassThrough(), new PassThrough()];
    await new PortForward(config).portForward("default", "web", [port], output, null, input);
    expect(String((await once(output, "data"))[0])).toBe("greetings");
    input.end();
    server.close();
  });
});
