import { existsSync, mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RuntimeService } from "../kubelet/rpc/generated/cri_pb.ts";
import { served, serveSocket } from "../kubelet/rpc/server.ts";
import { systemClock } from "../util/clock.ts";
import { chooseRuntime, type RuntimeRequest } from "./runtimes.ts";

let directory: string;
let socket: string;
const cleanup: (() => void)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knarr-runtimes-"));
  socket = join(directory, "cri.sock");
});
afterEach(async () => {
  for (const end of cleanup.splice(0)) end();
  await rm(directory, { recursive: true });
});

const plugin = JSON.stringify({
  type: "bridge",
  isGateway: true,
  ipam: { type: "host-local", subnet: "10.9.0.0/24" },
});
const bridge = JSON.stringify({ Networks: [{ Config: { Plugins: [{ Source: plugin }] } }] });

/** Serves a runtime with this state. */
async function serve({ ready = true, cniconfig = bridge }): Promise<void> {
  const conditions = [
    { type: "RuntimeReady", status: true },
    { type: "NetworkReady", status: ready, message: "cni plugin not initialized" },
  ];
  const { version, status } = RuntimeService.method;
  const methods = [
    served(version, () => ({ runtimeName: "testd", runtimeVersion: "1.0" })),
    served(status, () => ({ status: { conditions }, info: { cniconfig } })),
  ];
  cleanup.push(await serveSocket({ socket, methods }));
}

function choose(more: Partial<RuntimeRequest>) {
  const data = join(directory, "data");
  return chooseRuntime({ clock: systemClock, asked: "auto", directory: data, servesNetwork: true, ...more });
}

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

test("simulated containers need nothing", async () => {
  expect(await choose({ asked: "simulated" })).toEqual({ name: "simulated", why: "as asked" });
});

describe.skipIf(!isRoot)("as root on Linux", () => {
  test.each(["cri", "auto"] as const)("--runtime %s uses the runtime of the endpoint", async (asked) => {
    await serve({});
    const network = { bridge: "cni0", gateway: "10.9.0.1", podCIDR: "10.9.0.0/24" };
    const chosen = {
      name: "cri",
      why: `testd 1.0 at ${socket}`,
      cri: { socket, network, usesCgroupfs: false },
    };
    expect(await choose({ asked, endpoint: `unix://${socket}` })).toEqual(chosen);
    expect(await choose({ asked, endpoint: socket })).toEqual(chosen);
  });

  test("a runtime that cannot run Pods is refused with its reason", async () => {
    await expect(choose({ endpoint: socket })).rejects.toThrow(
      `Cannot use --runtime cri: ${socket} does not answer`,
    );
    await serve({ ready: false });
    await expect(choose({ endpoint: socket })).rejects.toThrow(
      "testd 1.0 is not ready: NetworkReady is false: cni plugin not initialized",
    );
  });

  test("another service at the socket is no runtime", async () => {
    cleanup.push(await serveSocket({ socket, methods: [] }));
    await expect(choose({ endpoint: socket })).rejects.toThrow(`${socket} does not serve CRI v1`);
  });

  test("where the network is no bridge, the user hears that Services are missing, unless others serve them", async () => {
    await serve({ cniconfig: "" });
    expect(await choose({ endpoint: socket })).toMatchObject({
      name: "cri",
      why: expect.stringContaining("Pods do not reach Services"),
      mend: expect.any(String),
    });
    const kubelet = await choose({ endpoint: socket, servesNetwork: false });
    expect(kubelet).toEqual({
      name: "cri",
      why: `testd 1.0 at ${socket}`,
      cri: { socket, network: undefined, usesCgroupfs: false },
    });
  });

  test("an endpoint is a Unix socket, and for CRI alone", async () => {
    await expect(choose({ endpoint: "tcp://127.0.0.1:1" })).rejects.toThrow("not the path of a Unix socket");
    await expect(choose({ asked: "native", endpoint: socket })).rejects.toThrow(
      "--runtime native has no endpoint",
    );
  });

  test("a cluster with containers keeps its runtime", async () => {
    const data = join(directory, "data");
    mkdirSync(join(data, "cri"), { recursive: true });
    await writeFile(join(data, "cri/socket"), socket);
    await serve({});
    expect(await choose({})).toMatchObject({ name: "cri", cri: { socket } });
    mkdirSync(join(data, "run"));
    await expect(choose({ asked: "cri", endpoint: socket })).rejects.toThrow(
      "the cluster has native containers",
    );
  });

  test.skipIf(existsSync("/run/containerd/containerd.sock") || existsSync("/run/crio/crio.sock"))(
    "without a socket, containers are native",
    async () => {
      expect((await choose({})).name).toBe("native");
      await expect(choose({ asked: "cri" })).rejects.toThrow(
        "no socket at /run/containerd/containerd.sock or",
      );
    },
  );
});
