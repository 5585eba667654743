import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { WebSocket } from "ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pod } from "../../src/api/core/pod/schema.ts";
import { listen } from "../../src/apiserver/http/listener.ts";
import { KubeletClient } from "../../src/apiserver/nodes/connect.ts";
import { remoteNode } from "../../src/apiserver/nodes/remote-node.ts";
import { ensurePki, makeServingPair, type Pki } from "../../src/cluster/pki.ts";
import { kubeletAccess, type KubeletAccessOptions } from "../../src/cluster/kubelet-access.ts";
import type { Client } from "../../src/client/client.ts";
import { KubeletServer } from "../../src/kubelet/server/server.ts";
import type { KubeletHost } from "../../src/kubelet/server/host.ts";
import type { SandboxStatus } from "../../src/kubelet/runtime.ts";
import type { NodeEndpoint } from "../../src/meta/node-endpoint.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { Metrics } from "../../src/util/metrics/metrics.ts";
import { systemRandom } from "../../src/util/random.ts";
import { LocalNode } from "./local-node.ts";

/** The API server's client of kubelets, against the kubelet's own server. */
const address = { namespace: "default", name: "web", uid: "u1", container: "main" };
const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const stop = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "knarr-kubelet-"));
const local = new LocalNode();
/** The SubjectAccessReviews that the kubelet sent. */
const reviewed: unknown[] = [];
let allowed = true;
/** The port of the server that was started last. */
let lastPort = 0;
let pki: Pki;
let node: NodeEndpoint;

beforeAll(async () => {
  pki = await ensurePki({ env, directory: undefined, serverNames: ["127.0.0.1"] });
  node = await serve({ anonymous: false, tokens: true, authorization: "Webhook" });
});
afterAll(() => {
  stop.abort();
  rmSync(directory, { recursive: true });
});

async function serve(access: KubeletAccessOptions): Promise<NodeEndpoint> {
  const pod = {
    metadata: { name: "web", namespace: "default", uid: "u1" },
    spec: { containers: [{ name: "main" }] },
    status: {},
  } as unknown as Pod;
  const container = { id: "c1", name: "main", state: "running" };
  const sandbox = { containers: [container] } as unknown as SandboxStatus;
  const host: KubeletHost = {
    nodeName: "node-1",
    env,
    endpoint: local,
    pods: () => [pod],
    pod: (_, name) => (name === "web" ? pod : undefined),
    sandboxes: () => [sandbox],
    isSyncing: () => true,
    samples: () => ({ machine: undefined, containers: new Map() }),
    probeCounts: () => [],
    metrics: new Metrics(),
    configuration: {},
  };
  const client = {
    of: () => ({
      create: async ({ spec }: { readonly spec: unknown }) => {
        reviewed.push(spec);
        return { status: { allowed } };
      },
    }),
  } as unknown as Client;
  const server = new KubeletServer(host, kubeletAccess(client, systemClock, access));
  const { port } = await listen(
    {
      ...(await makeServingPair("node-1", ["127.0.0.1"], systemClock.now())),
      clientCa: pki.ca.certificate,
      host: "127.0.0.1",
      port: 0,
      handler: server.handle,
      upgrade: server.upgrade,
      log: silentLogger,
      clock: systemClock,
    },
    stop.signal,
  );
  lastPort = port;
  const kubelet = new KubeletClient({ clock: systemClock, credentials: pki.kubeletClient });
  return remoteNode({ client: kubelet, clock: systemClock, location: { host: "127.0.0.1", port } });
}

const streams = { stdin: false, stdout: true, stderr: true, tty: false };

describe("the API server's client of kubelets", () => {
  test("runs a command, passes its input to the end, and gets its exit code", async () => {
    const command = ["sh", "-c", "cat; echo err >&2; exit 5"];
    const session = await node.exec(address, { ...streams, stdin: true, command });
    session.stdin?.end("in\n");
    const output = await Promise.all([session.stdout, session.stderr].map(async (one) => one && text(one)));
    expect(output).toEqual(["in\n", "err\n"]);
    expect(await session.exited).toBe(5);
    expect(reviewed[0]).toMatchObject({
      user: "kube-apiserver-kubelet-client",
      groups: ["system:masters", "system:authenticated"],
      resourceAttributes: { verb: "create", resource: "nodes", subresource: "proxy", name: "node-1" },
    });
  });

  test("reads a log", async () => {
    local.log.splice(0, Infinity, "one\n", "two\n");
    const options = { follow: false, previous: false, timestamps: false, stream: "All" } as const;
    const log = await node.logs(address, { ...options, tailLines: 1, signal: stop.signal });
    expect(await text(log)).toBe("two\n");
  });

  test("connects to a port, and gets the error of a closed one", async () => {
    const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
    await once(server, "listening");
    // Safe: the server listens on TCP.
    const { port } = server.address() as AddressInfo;
    expect(await text(await node.dial(address, port))).toBe("hello");
    server.close();
    await once(server, "close");
    const refused = await node.dial(address, port);
    await expect(text(refused)).rejects.toThrow(/error forwarding port .*ECONNREFUSED/);
  });

  test("reads the summary", async () => {
    expect(await node.stats()).toEqual({ node: undefined, pods: new Map() });
  });

  test("is refused a container that does not run", async () => {
    const missing = { ...address, container: "none" };
    await expect(node.exec(missing, { ...streams, command: ["ls"] })).rejects.toThrow(
      'unable to upgrade connection: container not found ("none")',
    );
  });

  test("is refused without the permission", async () => {
    const closed = await serve({ anonymous: false, tokens: true, authorization: "Webhook" });
    allowed = false;
    try {
      await expect(closed.exec(address, { ...streams, command: ["ls"] })).rejects.toThrow(
        "unable to upgrade connection: Forbidden (user=kube-apiserver-kubelet-client, verb=create, resource=nodes, subresource(s)=[proxy])",
      );
    } finally {
      allowed = true;
    }
  });
});

test("a port is forwarded over channels of a WebSocket, and named by `port`", async () => {
  const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
  await once(server, "listening");
  // Safe: the server listens on TCP.
  const target = (server.address() as AddressInfo).port;
  const { certificate: cert, key } = pki.kubeletClient;
  const url = `wss://127.0.0.1:${lastPort}/portForward/default/web?port=${target}`;
  const client = new WebSocket(url, ["v4.channel.k8s.io"], { cert, key, rejectUnauthorized: false });
  const messages: Buffer[] = [];
  client.on("message", (data: Buffer) => messages.push(data));
  await once(client, "close");
  const number = Buffer.alloc(2);
  number.writeUInt16LE(target);
  expect(messages.map((one) => [one[0], one.subarray(1).toString("latin1")])).toEqual([
    [0, number.toString("latin1")],
    [1, number.toString("latin1")],
    [0, "hello"],
  ]);
  server.close();
});

test.each(["/portForward/default/web", "/exec/default/web/main?output=1"])(
  "a WebSocket for %s is refused before the upgrade",
  async (path) => {
    const { certificate: cert, key } = pki.kubeletClient;
    const url = `wss://127.0.0.1:${lastPort}${path}`;
    const client = new WebSocket(url, ["v4.channel.k8s.io"], { cert, key, rejectUnauthorized: false });
    // Safe: `ws` names the status in its error.
    const [error] = (await once(client, "error")) as [Error];
    expect(error.message).toMatch(/Unexpected server response: 40[04]/);
  },
);
