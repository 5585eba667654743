import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { ApiRequest, ApiResponse } from "../../meta/exchange.ts";
import type { ExecSession, NodeEndpoint, NodeStats } from "../../meta/node-endpoint.ts";
import { silentLogger } from "../../util/logger.ts";
import { Metrics } from "../../util/metrics/metrics.ts";
import { systemRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { SandboxStatus } from "../runtime.ts";
import type { NodePermission } from "./access.ts";
import type { KubeletHost } from "./host.ts";
import { KubeletServer } from "./server.ts";

const clock = new VirtualClock();
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u1" },
  spec: { containers: [{ name: "main", resources: { limits: { cpu: "200m", memory: "1Mi" } } }] },
  status: { phase: "Running" },
} as unknown as Pod;
const sandbox = {
  id: "s1",
  containers: [
    { id: "c1", name: "main", attempt: 0, image: "image", state: "running", createdAt: 0, startedAt: 2000 },
  ],
} as unknown as SandboxStatus;

let asked: string[];
let allowed: (permission: NodePermission) => boolean;
let session: Partial<ExecSession>;
let isSyncing: boolean;
let stats: NodeStats;

beforeEach(() => {
  asked = [];
  allowed = () => true;
  session = {
    stdout: Readable.from([Buffer.from("out\n")]),
    stderr: Readable.from([]),
    exited: Promise.resolve(0),
  };
  isSyncing = true;
  stats = { node: undefined, pods: new Map() };
});

function server(changes: Partial<KubeletHost> = {}): KubeletServer {
  const endpoint = {
    logs: async () => Readable.from(["line\n"]),
    exec: async () => ({ close: () => {}, ...session }),
    stats: async () => stats,
  } as unknown as NodeEndpoint;
  const host: KubeletHost = {
    nodeName: "node-1",
    env: { clock, random: systemRandom, log: silentLogger },
    endpoint,
    pods: () => [pod],
    pod: (namespace, name) => (namespace === "default" && name === "web" ? pod : undefined),
    sandboxes: (uid) => (uid === "u1" ? [sandbox] : []),
    isSyncing: () => isSyncing,
    samples: () => ({
      machine: { at: 1000, cpuNanos: 4e9, memoryBytes: 100 },
      containers: new Map([["c1", { at: 1000, cpuNanos: 2e9, memoryBytes: 50 }]]),
    }),
    probeCounts: () => [
      {
        namespace: "default",
        pod: "web",
        podUid: "u1",
        container: "main",
        type: "Liveness",
        result: "failed",
        count: 3,
      },
    ],
    metrics: new Metrics(),
    configuration: { kind: "KubeletConfiguration" },
    ...changes,
  };
  return new KubeletServer(host, {
    authenticate: async ({ headers }) =>
      headers["authorization"] === undefined ? undefined : { name: "ann", groups: [] },
    isAllowed: async (_, permission) => {
      asked.push(`${permission.verb} ${permission.node} ${permission.subresource}`);
      return allowed(permission);
    },
  });
}

async function send(target: string, method = "GET", changes: Partial<KubeletHost> = {}) {
  const [path = "", search = ""] = target.split("?");
  const request: ApiRequest = {
    method,
    path,
    query: new URLSearchParams(search),
    headers: { authorization: "Bearer x" },
    body: { type: "none" },
    caller: { type: "connection", address: "127.0.0.1" },
    signal: new AbortController().signal,
  };
  return read(await server(changes).handle(request));
}

async function read({ status, body }: ApiResponse): Promise<{ status: number; text: string }> {
  if (body.type === "bytes") return { status, text: Buffer.from(body.bytes).toString() };
  if (body.type === "stream") return { status, text: await textOf(body.stream) };
  return { status, text: body.type === "object" ? JSON.stringify(body.value) : "" };
}

describe("a caller", () => {
  test("without credentials is unauthorized, even for a path that does not exist", async () => {
    const request = { method: "GET", path: "/../x", headers: {}, query: new URLSearchParams() };
    const answer = await read(await server().handle(request as unknown as ApiRequest));
    expect(answer).toEqual({ status: 401, text: "Unauthorized" });
    expect(asked).toEqual([]);
  });

  test.each([
    ["GET", "/pods", ["get node-1 pods", "get node-1 proxy"]],
    ["GET", "/runningpods/", ["get node-1 pods", "get node-1 proxy"]],
    ["GET", "/healthz/ping", ["get node-1 healthz", "get node-1 proxy"]],
    ["GET", "/configz", ["get node-1 configz", "get node-1 proxy"]],
    ["GET", "/stats/summary", ["get node-1 stats"]],
    ["GET", "/metrics/cadvisor", ["get node-1 metrics"]],
    ["GET", "/logs/syslog", ["get node-1 log"]],
    ["POST", "/checkpoint/a/b/c", ["create node-1 checkpoint"]],
    ["POST", "/run/a/b/c", ["create node-1 proxy"]],
    ["GET", "/exec/a/b/c", ["get node-1 proxy"]],
    ["GET", "/podsx", ["get node-1 proxy"]],
    ["HEAD", "/metrics", [" node-1 metrics"]],
    ["GET", "/stats/%2e%2e/exec", ["get node-1 proxy"]],
  ])("needs for %s %s one of %j", async (method, path, permissions) => {
    allowed = () => false;
    const { status, text } = await send(path, method);
    expect(asked).toEqual(permissions);
    expect(status).toBe(403);
    expect(text).toMatch(/^Forbidden \(user=ann, verb=.*, resource=nodes, subresource\(s\)=\[.*\]\)\n$/);
  });

  test("with the permission for the proxy may read the Pods", async () => {
    allowed = ({ subresource }) => subresource === "proxy";
    expect((await send("/pods")).status).toBe(200);
  });
});

test.each([
  ["GET", "/nothing", 404, "404: Page Not Found"],
  ["GET", "/", 404, "404: Page Not Found"],
  ["GET", "/constructor", 404, "404: Page Not Found"],
  ["GET", "/metrics/__proto__", 404, "404: Page Not Found"],
  ["DELETE", "/pods", 405, "405: Method Not Allowed"],
  ["GET", "/logs/", 405, "logs endpoint is disabled.\n"],
  ["GET", "/debug/pprof/heap", 405, "profiling endpoint is disabled.\n"],
  ["PUT", "/debug/flags/v", 405, "flags endpoint is disabled.\n"],
  ["GET", "/exec/default/web/main?output=1", 500, "Upgrade request required\n"],
  ["GET", "/run/default/web/main", 405, "405: Method Not Allowed"],
  ["POST", "/run/default/none/main", 404, "pod does not exist"],
  ["POST", "/run/default/web/none", 500, 'container not found ("none")'],
  ["POST", "/run/default/web/u2/main", 500, 'container not found ("main")'],
  ["GET", "/containerLogs/default/none/main", 404, 'pod "none" does not exist'],
  ["GET", "/containerLogs/default/web/none", 404, 'container "none" not found in pod "web"'],
  ["GET", "/containerLogs/default/web/main?tailLines=x", 400, '{"message": "Unable to decode query."}'],
  ["GET", "/containerLogs/default/web/main?tailLines=-1", 422, '{"message": "Invalid request."}'],
  ["GET", "/containerLogs/default/web/main?tail=all", 200, "line\n"],
  ["GET", "/healthz", 200, "ok"],
  ["GET", "/healthz/nope", 404, "404: Page Not Found"],
  ["POST", "/checkpoint/default/web/none", 404, "container none does not exist"],
])("%s %s answers %d %j", async (method, target, status, text) => {
  expect(await send(target, method)).toEqual({ status, text });
});

test("a stuck agent is unhealthy", async () => {
  isSyncing = false;
  expect((await send("/healthz/ping")).status).toBe(200);
  expect((await send("/healthz/syncloop")).status).toBe(500);
  expect(await send("/healthz")).toEqual({
    status: 500,
    text: "[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n",
  });
  expect((await send("/healthz?exclude=syncloop")).status).toBe(200);
});

describe("/run", () => {
  test("answers with the command's output", async () => {
    expect(await send("/run/default/web/main?cmd=ls+/", "POST")).toEqual({ status: 200, text: "out\n" });
  });

  test("answers with the exit code of a command that fails", async () => {
    session = { ...session, exited: Promise.resolve(5) };
    const { status, text } = await send("/run/default/web/main?cmd=ls+/", "POST");
    expect([status, text]).toEqual([500, "command 'ls /' exited with 5: out\n"]);
  });
});

describe("the summary", () => {
  const rate = { at: 1000, windowMs: 15_000, cpuNanoCores: 7, memoryBytes: 50 };

  test("has what was measured, and nothing else", async () => {
    stats = { node: undefined, pods: new Map([["u1", [{ name: "main", ...rate }]]]) };
    const cpu = { time: "1970-01-01T00:00:01Z", usageNanoCores: 7, usageCoreNanoSeconds: 2e9 };
    const memory = { time: "1970-01-01T00:00:01Z", workingSetBytes: 50 };
    expect(JSON.parse((await send("/stats/summary")).text)).toEqual({
      node: { nodeName: "node-1" },
      pods: [
        {
          podRef: { name: "web", namespace: "default", uid: "u1" },
          containers: [{ name: "main", startTime: "1970-01-01T00:00:02Z", cpu, memory }],
          cpu,
          memory,
        },
      ],
    });
  });

  test("leaves disks out when only CPU and memory are asked for", async () => {
    const storage = () => Promise.reject(new Error("measured"));
    const { status } = await send("/stats/summary?only_cpu_and_memory=true", "GET", { storage });
    expect(status).toBe(200);
    expect((await send("/stats/summary", "GET", { storage })).status).toBe(500);
  });
});

test("the resource metrics have upstream's series", async () => {
  const { text } = await send("/metrics/resource");
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  expect(lines).toEqual([
    'container_cpu_usage_seconds_total{container="main",pod="web",namespace="default"} 2',
    'container_memory_working_set_bytes{container="main",pod="web",namespace="default"} 50',
    'container_start_time_seconds{container="main",pod="web",namespace="default"} 2',
    "node_cpu_usage_seconds_total 4",
    "node_memory_working_set_bytes 100",
    'pod_cpu_usage_seconds_total{pod="web",namespace="default"} 2',
    'pod_memory_working_set_bytes{pod="web",namespace="default"} 50',
    "resource_scrape_error 0",
    "",
  ]);
});

test("cAdvisor's metrics have the limits of containers", async () => {
  const { text } = await send("/metrics/cadvisor");
  const series = '{container="main",id="c1",image="image",name="c1",namespace="default",pod="web"}';
  expect(text).toContain(`container_spec_memory_limit_bytes${series} 1048576\n`);
  expect(text).toContain(`container_spec_cpu_quota${series} 20000\n`);
});

test("the probes' metrics count results", async () => {
  expect((await send("/metrics/probes")).text).toContain(
    'prober_probe_total{probe_type="Liveness",result="failed",container="main",pod="web",namespace="default",pod_uid="u1"} 3\n',
  );
});
