import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { collect, Kubectl } from "./kubectl.ts";
import { StreamingCluster } from "./streaming-cluster.ts";
import type { TestKubelet } from "./test-kubelet.suite.ts";

let cluster: StreamingCluster;
let kubelet: TestKubelet;
beforeAll(async () => {
  cluster = await new StreamingCluster().start({ kubelet: "verified" });
  if (cluster.kubelet === undefined) throw new Error("there is no kubelet");
  ({ kubelet } = cluster);
});
afterAll(() => cluster.stop());
beforeEach(() => {
  kubelet.transcript.splice(0);
  kubelet.overrides.clear();
});

const me = "kube-apiserver-kubelet-client (system:masters)";
const pod = "/api/v1/namespaces/default/pods/web";

test("a log is read over mutual TLS, with the client's options", async () => {
  cluster.node.log.splice(0, Infinity, "one\n", "two\n");
  const answer = await cluster.send(`${pod}/log?container=main&tailLines=1&timestamps=true&previous=true`);
  expect(answer).toMatchObject({ code: 200, text: "two\n" });
  expect(kubelet.transcript).toEqual([
    `${me}: GET /containerLogs/default/web/main?previous=true&tailLines=1&timestamps=true`,
  ]);
});

test.each([
  [400, "unsupported", { code: 400, reason: "BadRequest", message: "unsupported" }],
  [
    404,
    "gone",
    {
      code: 404,
      reason: "NotFound",
      message: "the server could not find the requested resource ( pods/log web)",
      details: { name: "web", kind: "pods/log" },
    },
  ],
  [500, "broken", { code: 500, reason: "InternalError", message: "Internal error occurred: broken" }],
  [
    502,
    "bad",
    {
      code: 502,
      reason: "InternalError",
      message: 'an error on the server ("bad") has prevented the request from succeeding ( pods/log web)',
    },
  ],
])("a kubelet's refusal of a log with %d is answered in upstream's words", async (code, body, status) => {
  kubelet.overrides.set("/containerLogs/", { code, body });
  const { text } = await cluster.send(`${pod}/log?container=main`);
  expect(JSON.parse(text)).toMatchObject(status);
});

test("the usage of a node is read from its kubelet's summary", async () => {
  const summary = {
    node: { cpu: { time: "2026-01-02T03:04:05Z", usageNanoCores: 5 }, memory: { workingSetBytes: 6 } },
  };
  kubelet.overrides.set("/stats/", { code: 200, body: JSON.stringify(summary) });
  expect((await cluster.stats())?.node).toMatchObject({ cpuNanoCores: 5, memoryBytes: 6 });
  expect(kubelet.transcript).toEqual([`${me}: GET /stats/summary?only_cpu_and_memory=true`]);
});

test.each([
  [403, "Forbidden", "request failed, status: 403"],
  [200, "<html>", "error trying to reach service: Unexpected token"],
  [200, "x".repeat(5 << 20), "the kubelet's summary is too large"],
])("a summary with %d and an unusable body is an error", async (code, body, message) => {
  kubelet.overrides.set("/stats/", { code, body });
  await expect(cluster.stats()).rejects.toThrow(message);
});

test("a kubelet's redirect is not followed", async () => {
  kubelet.overrides.set("/containerLogs/", { code: 302, headers: { location: "/echo" }, body: "" });
  const { text } = await cluster.send(`${pod}/log?container=main`);
  expect(JSON.parse(text)).toMatchObject({
    code: 500,
    message: `Get "https://127.0.0.1:${kubelet.port}/containerLogs/default/web/main": redirects forbidden`,
  });
  expect(kubelet.transcript).toHaveLength(1);
});

test("a kubelet that is down is reported in Go's words", async () => {
  const down = await new StreamingCluster().start({ kubelet: "unverified" });
  down.kubelet?.stop();
  const { text } = await down.send(`${pod}/log?container=main`);
  await expect(down.stats()).rejects.toThrow("error trying to reach service: dial tcp 127.0.0.1:");
  const address = `127.0.0.1:${down.kubelet?.port}`;
  expect(JSON.parse(text)).toMatchObject({
    code: 500,
    message: `Get "https://${address}/containerLogs/default/web/main": dial tcp ${address}: connect: connection refused`,
  });
  down.stop();
});

test("a kubelet whose certificate another authority signed is refused", async () => {
  const impostor = await new StreamingCluster().start({ kubelet: "impostor" });
  const { text } = await impostor.send(`${pod}/log?container=main`);
  expect(JSON.parse(text).message).toMatch(
    /: tls: failed to verify certificate: x509: certificate signed by/,
  );
  expect(impostor.kubelet?.transcript).toEqual([]);
  impostor.stop();
});

const kubectl = new Kubectl("1.33", () => cluster);
describe.skipIf(!kubectl.isThere)("kubectl through a kubelet", () => {
  const exec = (...command: readonly string[]) => ["exec", "-i", "web", "-c", "main", "--", ...command];

  test("exec sends input to its end, gets both outputs complete, and the exit code", async () => {
    const input = "0123456789abcdef\n".repeat(60_000);
    const result = await kubectl.run(exec("sh", "-c", "cat; echo err >&2; exit 7"), input);
    expect(result.stdout === input).toBe(true);
    expect(result.stderr).toBe("err\ncommand terminated with exit code 7\n");
    expect(result.code).toBe(7);
    expect(kubelet.transcript).toEqual([
      `${me}: POST /exec/default/web/main?command=sh&command=-c&command=cat%3B+echo+err+%3E%262%3B+exit+7&error=1&input=1&output=1`,
    ]);
  });

  test("exec on a terminal sends its size and passes typed text", async () => {
    cluster.node.sizes.length = 0;
    const command = ["exec", "-it", "web", "-c", "main", "--", "sh", "-c", "read l; echo got $l; exit 3"];
    const result = await kubectl.runOnTerminal(command, "hello\n");
    expect(result.stdout).toContain("got hello");
    expect(result.code).toBe(3);
    expect(cluster.node.sizes[0]).toBe("97x31");
  });

  test("attach connects to the container's streams", async () => {
    const child = kubectl.start("attach", "-i", "web", "-c", "main");
    expect(await collect(child, "typed\n")).toMatchObject({ stdout: "typed\n", code: 0 });
    expect(kubelet.transcript).toEqual([`${me}: POST /attach/default/web/main?error=1&input=1&output=1`]);
  });

  test("a command that cannot start is an error with the kubelet's reason", async () => {
    const result = await kubectl.run(exec("/no/such/file"));
    expect(result.stderr).toContain("error executing command in container: spawn /no/such/file ENOENT");
    expect(result.code).toBe(1);
  });

  test("a session that the kubelet refuses is an error with its text", async () => {
    kubelet.overrides.set("/exec/", { code: 404, body: "pod does not exist" });
    const result = await kubectl.run(exec("true"));
    expect(result.stderr).toContain(
      "Internal error occurred: unable to upgrade connection: pod does not exist",
    );
  });

  test("a session whose kubelet is killed is an error", async () => {
    const child = kubectl.start(...exec("sh", "-c", "echo started; exec sleep 1000"));
    const output = once(child.stdout ?? child, "data").then(() => kubelet.disconnect());
    const result = await collect(child, "");
    await output;
    expect(result.stderr).toContain("the connection to the kubelet has closed");
    expect(result.code).toBe(1);
  });

  test("the command ends when kubectl is killed", async () => {
    const child = kubectl.start(...exec("sh", "-c", "echo $$; exec sleep 1000"));
    child.stdout?.setEncoding("utf8");
    const [pid] = (await once(child.stdout ?? child, "data")) as string[];
    child.kill("SIGKILL");
    await cluster.node.ended(Number(pid));
  });

  test("logs -f prints lines as they are written, and its end closes the kubelet's stream", async () => {
    cluster.node.log.splice(0, Infinity, "first\n");
    const child = kubectl.start("logs", "-f", "web", "-c", "main");
    child.stdout?.setEncoding("utf8");
    expect(await once(child.stdout ?? child, "data")).toEqual(["first\n"]);
    cluster.node.push("second\n");
    expect(await once(child.stdout ?? child, "data")).toEqual(["second\n"]);
    const unfollowed = cluster.node.unfollowed();
    child.kill("SIGKILL");
    await unfollowed;
  });

  test("port-forward carries parallel connections", async () => {
    const server = createServer((socket: Socket) => {
      socket.on("error", () => {});
      socket.once("data", (size) => socket.end("y".repeat(Number(size))));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { errors } = await forwarding(port, async (local) => {
      const sizes = [1, 1000, 300_000, 3_000_000];
      const answers = sizes.map((size) => exchange(local, String(size)));
      expect((await Promise.all(answers)).map(({ length }) => length)).toEqual(sizes);
    });
    expect(errors).toBe("");
    expect(kubelet.transcript[0]).toBe(`${me}: POST /portForward/default/web`);
    server.close();
  });

  test("port-forward reports that no process listens, in the kubelet's words", async () => {
    const { errors } = await forwarding(1, async (local) => {
      await exchange(local, "x").catch(() => {});
    });
    expect(errors).toContain("error forwarding port 1 to pod web, uid uid: connect ECONNREFUSED");
  });
});

async function forwarding(port: number, use: (local: number) => Promise<void>): Promise<{ errors: string }> {
  const child = kubectl.start("port-forward", "pod/web", `:${port}`);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdout?.setEncoding("utf8");
  try {
    const [line = ""] = (await once(child.stdout ?? child, "data")) as string[];
    await use(Number(/:(\d+) ->/.exec(line)?.[1]));
  } finally {
    child.kill("SIGINT");
    await once(child, "close");
  }
  return { errors };
}

/** Sends a text to a port and reads the answer to its end. */
async function exchange(port: number, text: string): Promise<string> {
  const { connect } = await import("node:net");
  const { text: read } = await import("node:stream/consumers");
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(text);
  return read(socket);
}
