import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { quiet } from "./quiet.ts";
import { Kubectl } from "./kubectl.ts";
import { StreamingCluster } from "./streaming-cluster.ts";

let cluster: StreamingCluster;
beforeAll(async () => {
  cluster = await new StreamingCluster().start();
});
afterAll(() => cluster.stop());
beforeEach(() => cluster.upgrades.splice(0));

/** The protocol that each version speaks. kubectl falls back to SPDY silently, so a fallback would hide our failure. */
const versions = { "1.27": "SPDY/3.1", "1.29": "SPDY/3.1", "1.31": "websocket", "1.33": "websocket" };

for (const [version, protocol] of Object.entries(versions)) {
  const kubectl = new Kubectl(version, () => cluster);
  if (!kubectl.isThere) process.stderr.write(`kubectl ${version} is not tested: it is not on this machine\n`);
  describe.skipIf(!kubectl.isThere)(`kubectl ${version}`, () => {
    const exec = (...command: readonly string[]) => ["exec", "web", "-c", "main", "--", ...command];

    test("exec separates standard output from standard error and returns the exit code", async () => {
      const result = await kubectl.run(exec("sh", "-c", "echo out; echo err >&2; exit 7"));
      expect(result.stdout).toBe("out\n");
      expect(result.stderr).toContain("err\n");
      expect(result.stderr).toContain("command terminated with exit code 7");
      expect(result.code).toBe(7);
      expect(cluster.upgrades).toEqual([protocol]);
    });

    test("exec sends standard input to its end, and the output arrives complete", async () => {
      const input = "0123456789abcdef\n".repeat(60_000);
      const result = await kubectl.run(["exec", "-i", ...exec("cat").slice(1)], input);
      expect(result.stdout === input).toBe(true);
      expect(result.code).toBe(0);
    });

    test("a command may end without reading its input", async () => {
      const input = "x".repeat(4_000_000);
      const result = await kubectl.run(["exec", "-i", ...exec("head", "-c", "3").slice(1)], input);
      expect(result.stdout).toBe("xxx");
      expect(result.code).toBe(0);
    });

    test("exec on a terminal sends its size and passes typed text", async () => {
      cluster.node.sizes.length = 0;
      const command = ["exec", "-it", ...exec("sh", "-c", "read line; echo got $line; exit 3").slice(1)];
      const result = await kubectl.runOnTerminal(command, "hello\n");
      expect(result.stdout).toContain("got hello");
      expect(result.code).toBe(3);
      expect(cluster.node.sizes[0]).toBe("97x31");
    });

    test("a command that cannot start is an error with its reason", async () => {
      const result = await kubectl.run(exec("/no/such/file"));
      expect(result.stderr).toContain("error executing command in container: spawn /no/such/file ENOENT");
      expect(result.code).toBe(1);
    });

    test("cp copies both ways", async () => {
      const there = join(cluster.directory, `there-${version}`);
      mkdirSync(there);
      writeFileSync(join(cluster.directory, "up"), "payload ".repeat(50_000));
      const up = await kubectl.run(["cp", join(cluster.directory, "up"), `web:${there}/file`, "-c", "main"]);
      expect(up).toMatchObject({ code: 0 });
      expect(readFileSync(join(there, "file"), "utf8")).toBe("payload ".repeat(50_000));
      const down = await kubectl.run(["cp", `web:${there}/file`, join(there, "down"), "-c", "main"]);
      expect(down).toMatchObject({ code: 0 });
      expect(readFileSync(join(there, "down"), "utf8")).toBe("payload ".repeat(50_000));
    });

    test("logs prints existing lines, and only the tail when asked", async () => {
      cluster.node.log.splice(0, Infinity, "one\n", "two\n");
      expect((await kubectl.run(["logs", "web", "-c", "main"])).stdout).toBe("one\ntwo\n");
      expect((await kubectl.run(["logs", "web", "-c", "main", "--tail=1"])).stdout).toBe("two\n");
    });

    test("logs -f prints lines as they are written, and ends with the container", async () => {
      cluster.node.log.splice(0, Infinity, "first\n");
      const child = kubectl.start("logs", "-f", "web", "-c", "main");
      child.stdout?.setEncoding("utf8");
      expect(await once(child.stdout ?? child, "data")).toEqual(["first\n"]);
      cluster.node.push("second\n");
      expect(await once(child.stdout ?? child, "data")).toEqual(["second\n"]);
      cluster.node.endLog();
      expect(await once(child, "close")).toEqual([0, null]);
    });

    test("port-forward carries parallel connections", async () => {
      await withServer(async (port) => {
        await forwarding(kubectl, port, async (local, errors) => {
          const sizes = [1, 1000, 300_000, 3_000_000, 10, 100];
          const answers = sizes.map(async (size) =>
            (await fetch(`http://127.0.0.1:${local}/${size}`)).text(),
          );
          expect((await Promise.all(answers)).map(({ length }) => length)).toEqual(sizes);
          const body = "z".repeat(1_000_000);
          const echo = await fetch(`http://127.0.0.1:${local}/echo`, { method: "POST", body });
          expect((await echo.text()).length).toBe(body.length);
          // A client that only listens sees the end when the server closes the connection.
          const listener = connect({ port: Number(local), host: "127.0.0.1", allowHalfOpen: true });
          listener.write("GET /5 HTTP/1.1\r\nhost: x\r\n\r\n");
          expect(await text(listener)).toMatch(/\r\n\r\ny{5}$/);
          listener.destroy();
          expect(errors()).toBe("");
        });
        expect(cluster.upgrades).toEqual([protocol]);
      });
    });

    test("port-forward reports that no process listens", async () => {
      await forwarding(kubectl, 1, async (local, errors) => {
        await expect(fetch(`http://127.0.0.1:${local}/`)).rejects.toThrow();
        expect(errors()).toContain("error forwarding port 1 to pod web, uid ");
        expect(errors()).toContain("ECONNREFUSED");
      });
    });

    test("the session ends when kubectl is killed", async () => {
      const child = kubectl.start("exec", "-i", ...exec("sh", "-c", "echo $$; exec sleep 1000").slice(1));
      child.stdout?.setEncoding("utf8");
      const [pid] = (await once(child.stdout ?? child, "data")) as string[];
      child.kill("SIGKILL");
      await cluster.node.ended(Number(pid));
    });

    test("the server notices a vanished client even while nothing is read from it", async () => {
      const child = kubectl.start("exec", "-i", ...exec("sh", "-c", "echo $$; exec sleep 1000").slice(1));
      child.stdin?.on("error", () => {});
      child.stdout?.setEncoding("utf8");
      const [pid] = (await once(child.stdout ?? child, "data")) as string[];
      // More than all buffers on the way to a command that reads nothing, so that kubectl finally blocks.
      child.stdin?.write(Buffer.alloc(64 << 20));
      await quiet(() => child.stdin?.writableLength ?? 0);
      child.kill("SIGKILL");
      await once(child, "close");
      const state = { ended: false };
      void cluster.node.ended(Number(pid)).then(() => (state.ended = true));
      while (!state.ended) await cluster.clock.advance(30_000);
    });
  });
}

/** Runs `use` while a port-forward to the Pod's port is open. */
async function forwarding(
  kubectl: Kubectl,
  port: number,
  use: (local: string, errors: () => string) => Promise<void>,
): Promise<void> {
  const child = kubectl.start("port-forward", "pod/web", `:${port}`);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdout?.setEncoding("utf8");
  try {
    const [line = ""] = (await once(child.stdout ?? child, "data")) as string[];
    await use(/:(\d+) ->/.exec(line)?.[1] ?? "", () => errors);
  } finally {
    child.kill("SIGINT");
    await once(child, "close");
  }
}

async function withServer(use: (port: number) => Promise<void>): Promise<void> {
  const server: Server = createServer((request, response) => {
    response.setHeader("connection", "close");
    if (request.method === "POST") request.pipe(response);
    else response.end("y".repeat(Number(request.url?.slice(1))));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
