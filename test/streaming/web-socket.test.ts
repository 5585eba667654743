import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ChannelClient, refusal } from "./channel-client.ts";
import { quiet } from "./quiet.ts";
import { StreamingCluster } from "./streaming-cluster.ts";

let cluster: StreamingCluster;
beforeAll(async () => {
  cluster = await new StreamingCluster().start();
});
afterAll(() => cluster.stop());
beforeEach(() => {
  cluster.denied = () => false;
});

const pod = "/api/v1/namespaces/default/pods/web";
const execPath = (script: string, query = "stdout=true&stderr=true") =>
  `${pod}/exec?container=main&${query}&command=sh&command=-c&command=${encodeURIComponent(script)}`;
const client = (path: string, protocols: string | readonly string[]) =>
  new ChannelClient(cluster, path, protocols);

describe("exec", () => {
  test("version 5 begins with an empty message, ends with a Status, and closes with 1000", async () => {
    const session = client(execPath("echo hi; echo no >&2"), "v5.channel.k8s.io");
    expect(await session.closed).toBe(1000);
    expect(session.socket.protocol).toBe("v5.channel.k8s.io");
    expect(session.messages[0]).toEqual(Buffer.of(1));
    expect([session.on(1), session.on(2)]).toEqual(["hi\n", "no\n"]);
    expect(session.messages.at(-1)?.toString()).toBe('\u0003{"metadata":{},"status":"Success"}');
  });

  test("the Status of a failure has the exit code as its cause", async () => {
    const session = client(execPath("exit 9"), "v4.channel.k8s.io");
    await session.closed;
    expect(JSON.parse(session.on(3))).toEqual({
      metadata: {},
      status: "Failure",
      message: "command terminated with non-zero exit code: exit status 9",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "9" }] },
    });
  });

  test("the first version sends nothing on channel 1 after success, and text after a failure", async () => {
    const well = client(execPath("echo remote; exit 0"), "channel.k8s.io");
    expect(await well.closed).toBe(1000);
    expect(new Set(well.messages.map(([channel]) => channel))).toEqual(new Set([1]));
    expect(well.on(1)).toBe("remote\n");
    const ill = client(execPath("exit 2"), "channel.k8s.io");
    await ill.closed;
    expect(ill.on(3)).toBe("command terminated with non-zero exit code: exit status 2");
  });

  test("a client that offers no protocol gets the first version", async () => {
    const session = client(execPath("echo plain"), []);
    await session.closed;
    expect([session.socket.protocol, session.on(1)]).toEqual(["", "plain\n"]);
  });

  test("the first of the client's protocols wins", async () => {
    const offered = ["v9.channel.k8s.io", "v4.channel.k8s.io", "v5.channel.k8s.io"];
    const session = client(execPath("true"), offered);
    await session.closed;
    expect(session.socket.protocol).toBe("v4.channel.k8s.io");
  });

  test("base64 encodes channels and bytes as text, both ways", async () => {
    const session = await client(
      execPath("head -c 3", "stdin=1&stdout=1"),
      "v4.base64.channel.k8s.io",
    ).opened();
    session.socket.send(`0${Buffer.from("abc").toString("base64")}`);
    await session.closed;
    expect(session.isText.every(Boolean)).toBe(true);
    expect(session.messages[0]?.toString()).toBe("1");
    expect(session.messages[1]?.toString()).toBe(`1${Buffer.from("abc").toString("base64")}`);
    expect(session.messages[2]?.toString()[0]).toBe("3");
  });

  test("the close signal ends standard input only", async () => {
    const session = await client(
      execPath("cat; echo done", "stdin=1&stdout=1"),
      "v5.channel.k8s.io",
    ).opened();
    session.send(0, "typed ");
    session.socket.send(Buffer.of(255, 0));
    await session.closed;
    expect(session.on(1)).toBe("typed done\n");
  });

  test("messages on unknown channels and invalid sizes change nothing", async () => {
    cluster.node.sizes.length = 0;
    const session = await client(
      execPath("read x; echo $x", "stdin=1&stdout=1&tty=1"),
      "v5.channel.k8s.io",
    ).opened();
    for (const channel of [1, 3, 9, 254]) session.send(channel, "noise");
    session.socket.send(Buffer.alloc(0));
    session.send(4, '{"Width":0,"Height":5}nonsense{"Width":"1"}{"Wid');
    session.send(4, 'th":10,"Height":20}\n');
    session.send(0, "line\n");
    await session.closed;
    expect(session.on(1)).toContain("line");
    expect(cluster.node.sizes).toEqual(["10x20"]);
  });

  test("pings are answered", async () => {
    const session = await client(execPath("read x", "stdin=1&stdout=1"), "v5.channel.k8s.io").opened();
    session.socket.ping("here?");
    const [answer] = (await once(session.socket, "pong")) as [Buffer];
    expect(answer.toString()).toBe("here?");
    session.send(0, "\n");
    await session.closed;
  });

  test("the command is killed when the client disconnects", async () => {
    const session = client(execPath("echo $$; exec sleep 1000"), "v5.channel.k8s.io");
    await session.until(() => session.on(1) !== "");
    session.socket.terminate();
    expect(await cluster.node.ended(Number(session.on(1)))).toBe(137);
  });

  test("a client that does not read pauses the command's output until it reads again", async () => {
    let produced = 0;
    const stdout = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
        produced++;
      },
    });
    cluster.node.nextSession = {
      stdout,
      resize() {},
      close: () => stdout.destroy(),
      exited: new Promise(() => {}),
    };
    const session = await client(execPath("true"), "v5.channel.k8s.io").opened();
    session.socket.pause();
    await quiet(() => produced);
    const atRest = produced;
    expect(atRest * 65_536).toBeLessThan(64 << 20);
    session.socket.resume();
    await session.until(() => produced > 2 * atRest);
    const closed = new Promise((resolve) => stdout.once("close", resolve));
    session.socket.terminate();
    await closed;
  });
});

describe("refusals are answered with a Status", () => {
  test("for a Pod, container or node that does not exist", async () => {
    const of = async (path: string) => {
      const { code, status } = await refusal(cluster, path, "v5.channel.k8s.io");
      return [code, status.message];
    };
    const query = "stdout=1&command=true";
    expect(await of(`/api/v1/namespaces/default/pods/none/exec?${query}`)).toEqual([
      404,
      'pods "none" not found',
    ]);
    expect(await of(`${pod}/exec?${query}`)).toEqual([
      400,
      "a container name must be specified for pod web, choose one of: [main side]",
    ]);
    expect(await of(`${pod}/exec?container=x&${query}`)).toEqual([
      400,
      "container x is not valid for pod web",
    ]);
    expect(await of(`/api/v1/namespaces/default/pods/new/exec?${query}`)).toEqual([
      400,
      "pod new does not have a host assigned",
    ]);
    expect(await of(`${pod}/exec?container=main&command=true`)).toEqual([
      400,
      "you must specify at least 1 of stdin, stdout, stderr",
    ]);
    expect(await of(`${pod}/portforward`)).toEqual([400, 'query parameter "ports" is required']);
  });

  test("for a protocol that the server does not speak", async () => {
    const { code, status } = await refusal(cluster, execPath("true"), "v9.channel.k8s.io");
    expect([code, status.reason]).toEqual([400, "BadRequest"]);
    expect(status.message).toContain("unable to negotiate protocol: client supports [v9.channel.k8s.io]");
  });

  test("for a user without permission to run commands, even with `get`", async () => {
    const seen: string[] = [];
    cluster.denied = ({ verb, target }) => {
      if (target.type === "resource") seen.push(`${verb} ${target.resource}/${target.subresource}`);
      return verb === "create";
    };
    for (const subresource of ["exec", "attach", "portforward"]) {
      const path = `${pod}/${subresource}?container=main&stdout=1&command=true&ports=80`;
      const { code, status } = await refusal(cluster, path, "v5.channel.k8s.io");
      expect([code, status.reason]).toEqual([403, "Forbidden"]);
      expect(status.message).toContain(`cannot create resource "pods/${subresource}"`);
    }
    expect(seen).toContain("get pods/exec");
  });

  test("for invalid credentials", async () => {
    const headers = { authorization: "Bearer nonsense" };
    const options = { ca: cluster.credentials.ca, headers };
    const { code } = await refusal(cluster, execPath("true"), "v5.channel.k8s.io", options);
    expect(code).toBe(401);
  });

  test("for a session over a connection that cannot be upgraded", async () => {
    const { code, text } = await cluster.send(execPath("true"));
    expect(code).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ reason: "BadRequest", message: "Upgrade request required" });
  });
});

describe("other streams", () => {
  test("send logs raw, after an empty message", async () => {
    cluster.node.log.splice(0, Infinity, "container is alive\n");
    const log = client(`${pod}/log?container=main`, "binary.k8s.io");
    expect(await log.closed).toBe(1000);
    expect(log.messages.map(String)).toEqual(["", "container is alive\n"]);
    const text = client(`${pod}/log?container=main`, "base64.binary.k8s.io");
    await text.closed;
    expect(text.messages.map((one) => Buffer.from(String(one), "base64").toString()).join("")).toBe(
      "container is alive\n",
    );
  });

  test("stop following a log when the client disconnects", async () => {
    const log = await client(`${pod}/log?container=main&follow=true`, "binary.k8s.io").opened();
    await log.until(() => log.messages.length > 1);
    expect(cluster.node.followers).toBe(1);
    log.socket.terminate();
    await cluster.node.unfollowed();
    expect(cluster.node.followers).toBe(0);
  });

  test("send one event of a watch in each message", async () => {
    const watch = client("/api/v1/namespaces/default/pods?watch=true", []);
    await watch.until(() => watch.messages.length >= 2);
    const events = watch.messages.map(
      (one) => JSON.parse(String(one)) as { type: string; object: { kind: string } },
    );
    expect(events.map(({ type, object }) => [type, object.kind])).toEqual([
      ["ADDED", "Pod"],
      ["ADDED", "Pod"],
    ]);
    watch.socket.terminate();
  });

  test("answer a request for no stream as if no upgrade had been requested", async () => {
    const { code, status } = await refusal(cluster, pod, []);
    expect([code, status]).toMatchObject([200, { kind: "Pod" }]);
    const asHttp2 = { connection: "Upgrade", upgrade: "h2c" };
    cluster.node.log.splice(0, Infinity, "plain\n");
    expect(await cluster.send(`${pod}/log?container=main`, asHttp2)).toMatchObject({
      code: 200,
      text: "plain\n",
    });
  });

  test("end an attached session without an exit code", async () => {
    const session = await client(
      `${pod}/attach?container=main&stdin=1&stdout=1`,
      "v5.channel.k8s.io",
    ).opened();
    session.send(0, "echoed");
    session.socket.send(Buffer.of(255, 0));
    await session.closed;
    expect([session.on(1), session.on(3)]).toEqual(["echoed", '{"metadata":{},"status":"Success"}']);
  });

  test("forward ports over channels, opened with their numbers", async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const session = client(`${pod}/portforward?ports=${port}&ports=1`, "v4.channel.k8s.io");
    await session.until(() => session.on(3).length > 2);
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    for (const channel of [0, 1])
      expect(session.messages.find(([first]) => first === channel)).toEqual(
        Buffer.from([channel, ...number]),
      );
    expect(session.on(3)).toContain("error forwarding port 1 to pod web");
    session.send(0, "there and back");
    await session.until(() => session.on(0).length > 2);
    expect(session.on(0).slice(2)).toBe("there and back");
    session.socket.terminate();
    server.close();
  });
});
