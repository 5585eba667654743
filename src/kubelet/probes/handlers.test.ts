import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { http } from "../../util/node-http.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { runHook } from "../hooks.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aPod } from "../pod/builders.suite.ts";
import type { ExecSession } from "../runtime.ts";
import { execProbe, runProbe } from "./handlers.ts";

const clock = new VirtualClock();

function nodeWith(runtime: object): NodeContext {
  // Safe: checks use nothing else of the node.
  return nodeContext({ env: { clock }, runtime });
}

describe("a check over the network", () => {
  let server: Server;
  let port: number;
  let asked: IncomingMessage[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  beforeEach(async () => {
    asked = [];
    answer = (_, response) => void response.end();
    server = http.createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const node = nodeWith({});
  const check = (probe: object, ip = "127.0.0.1") => {
    const pod = aPod({ containers: [{ name: "a", ports: [{ name: "web", containerPort: port }] }] });
    const [container] = pod.spec.containers;
    if (container === undefined) throw new TypeError("the Pod has no container");
    return runProbe(node, pod, container, "id", ip, probe);
  };
  const failure = async (probe: object, ip?: string) => (await check(probe, ip)).failure;

  test.each([
    [200, true],
    [204, true],
    [299, true],
    [400, false],
    [404, false],
    [500, false],
  ])("is answered with %i, and succeeds: %s", async (status, succeeds) => {
    answer = (_, response) => void response.writeHead(status).end();
    expect(await failure({ httpGet: { port } })).toBe(
      succeeds ? undefined : `HTTP probe failed with statuscode: ${status}`,
    );
  });

  test("asks for the path with the headers that it is given, at a port by its name", async () => {
    const httpHeaders = [
      { name: "X-Probe", value: "1" },
      { name: "User-Agent", value: "mine" },
      { name: "Host", value: "app.example" },
    ];
    expect(await check({ httpGet: { port: "web", path: "/healthz?full=1", httpHeaders } })).toEqual({});
    expect(await check({ httpGet: { port: "web", path: "no-slash" } })).toEqual({});
    expect(asked.map(({ url }) => url)).toEqual(["/healthz?full=1", "/no-slash"]);
    expect(asked[0]?.headers).toMatchObject({ "x-probe": "1", "user-agent": "mine", host: "app.example" });
    expect(asked[1]?.headers["user-agent"]).toBe("kube-probe/1.36");
  });

  test("does not wait for an endless answer, nor longer than its time for the beginning of one", async () => {
    const ended = Promise.withResolvers<void>();
    answer = (_, response) => {
      response.once("close", ended.resolve);
      response.write("and so on");
    };
    expect(await check({ httpGet: { port } })).toEqual({});
    await ended.promise;
    answer = () => {};
    const received = once(server, "request");
    const late = failure({ httpGet: { port }, timeoutSeconds: 2 });
    await received;
    await clock.advance(2000);
    expect(await late).toBe(
      `Get "http://127.0.0.1:${port}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
  });

  test("fails where nobody listens", async () => {
    expect(await check({ tcpSocket: { port } })).toEqual({});
    expect(await check({ tcpSocket: { port: "web", host: "127.0.0.1" } }, "192.0.2.1")).toEqual({});
    const free = http.createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port: closed } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    expect(await failure({ tcpSocket: { port: closed } })).toMatch(
      new RegExp(`^dial tcp 127\\.0\\.0\\.1:${closed}: .*ECONNREFUSED`),
    );
    expect(await failure({ httpGet: { port: closed } })).toMatch(/^Get "http:.*ECONNREFUSED/);
  });

  test("follows redirects on its host, ten times at most", async () => {
    answer = ({ url = "" }, response) => {
      const count = Number(url.slice(1));
      if (count === 3) response.writeHead(200).end();
      else response.writeHead(302, { location: `/${count + 1}` }).end();
    };
    expect(await check({ httpGet: { port, path: "/0" } })).toEqual({});
    expect(asked.map(({ url }) => url)).toEqual(["/0", "/1", "/2", "/3"]);
    expect(await failure({ httpGet: { port, path: "/4" } })).toBe(
      `Get "http://127.0.0.1:${port}/14": stopped after 10 redirects`,
    );
    expect(asked).toHaveLength(14);
  });

  test.each([
    ["to another host", { location: "http://192.0.2.1/" }],
    ["to nowhere", {}],
    ["to another protocol", { location: "ftp://127.0.0.1/" }],
    ["to no URL", { location: "http://" }],
  ])(
    "that is redirected %s succeeds with a warning, which has the beginning of the answer",
    async (_, headers) => {
      answer = (_request, response) => void response.writeHead(301, headers).end("x".repeat(100_000));
      const { failure: why, warning } = await check({ httpGet: { port } });
      expect(why).toBeUndefined();
      expect(warning).toBe(`Probe terminated redirects, Response body: ${"x".repeat(10 * 1024)}`);
      expect(asked).toHaveLength(1);
    },
  );

  test("at a port that does not exist fails", async () => {
    expect(await failure({ httpGet: { port: "none" } })).toMatch(/^invalid port or path/);
    expect(await failure({})).toBe("missing probe handler");
  });
});

describe("a command as a check", () => {
  /** A runtime whose commands write the output, and end when told to. */
  function commands(output: string) {
    const exited = Promise.withResolvers<number>();
    const state = { closed: 0, asked: undefined as unknown };
    const exec = async (id: string, { command }: { command: readonly string[] }): Promise<ExecSession> => {
      state.asked = [id, ...command];
      const stdout = new PassThrough();
      stdout.end(output);
      return { stdout, resize() {}, exited: exited.promise, close: () => void state.closed++ };
    };
    return { node: nodeWith({ exec }), state, exited };
  }
  const finish = async (output: string, code: number) => {
    const { node, exited } = commands(output);
    const result = execProbe(node, "id", ["check"], 1000);
    await new Promise(setImmediate);
    exited.resolve(code);
    return result;
  };

  test("succeeds with code 0, and fails with its output or its code", async () => {
    expect(await finish("ignored", 0)).toBeUndefined();
    expect(await finish(" why \n", 1)).toBe("why");
    expect(await finish("", 7)).toBe("command exited with code 7");
    expect((await finish("x".repeat(100_000), 1))?.length).toBe(10 * 1024);
  });

  test("is ended when it takes too long", async () => {
    const { node, state } = commands("");
    const result = execProbe(node, "id", ["sleep", "9"], 1000);
    await clock.advance(1000);
    expect(await result).toBe('command "sleep 9" timed out');
    expect(state).toEqual({ closed: 1, asked: ["id", "sleep", "9"] });
  });

  test("that cannot be started fails, and throws nothing", async () => {
    const node = nodeWith({ exec: () => Promise.reject(new Error("container not running")) });
    expect(await execProbe(node, "id", ["x"], 1000)).toBe("Error: container not running");
  });
});

describe("a hook", () => {
  const pod = aPod();
  const [container] = pod.spec.containers;
  const run = (node: NodeContext, hook: object, limitMs?: number) => {
    if (container === undefined) throw new TypeError("the Pod has no container");
    return runHook(node, pod, container, "id", hook, limitMs);
  };

  test("sleeps as long as it says, and no longer than it may", async () => {
    for (const [seconds, limitMs, wait] of [
      [5, undefined, 5000],
      [5, 2000, 2000],
    ] as const) {
      let done = false;
      const hook = run(nodeWith({}), { sleep: { seconds } }, limitMs).then(() => (done = true));
      await clock.advance(wait - 1);
      expect(done).toBe(false);
      await clock.advance(1);
      await hook;
    }
  });

  test("of a container that only pretends is asked of the runtime, and fails when that takes too long", async () => {
    const node = nodeWith({ check: (id: string) => Promise.resolve(`${id} refused`) });
    expect(await run(node, { exec: { command: ["x"] } })).toBe("id refused");
    const silent = nodeWith({ check: () => new Promise(() => {}) });
    const late = run(silent, { httpGet: { port: 1 } }, 3000);
    await clock.advance(3000);
    expect(await late).toBe("the simulated container did not answer in time");
    expect(await run(node, {})).toBeUndefined();
  });
});
