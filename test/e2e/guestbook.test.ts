import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const manifests = join(import.meta.dirname, "../../examples/guestbook");
const version = ["1.33", undefined].find((one) => findKubectl(one) !== undefined);
const obstacle =
  nativeUnavailable() ?? (findKubectl(version) === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`The guestbook is not tested: ${obstacle}\n`);

interface Answer {
  readonly version: string;
  readonly pod: string;
}

/** Sends one GET; undefined while no server answers. */
function get(url: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const call = request(url, { agent: false, timeout: 2000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(JSON.parse(text) as Answer));
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(undefined));
    call.end();
  });
}

describe.skipIf(obstacle !== undefined)("the guestbook, by kubectl, in real containers", () => {
  const before = obstacle === undefined ? hostState() : {};
  const cluster = new LocalCluster(version);
  const kubectl = (...args: readonly string[]) => cluster.kubectl(...args);
  const rolledOut = () => kubectl("rollout", "status", "deployment/guestbook", "--timeout=60s");
  // Terminating Pods do not count: a rollout is complete before they are gone.
  const template =
    '{{range .items}}{{if not .metadata.deletionTimestamp}}pod/{{.metadata.name}}{{"\\n"}}{{end}}{{end}}';
  const podNames = async () => {
    const text = await kubectl("get", "pods", "-l", "app=guestbook", "-o", `go-template=${template}`);
    return text.trim().split("\n");
  };
  const serviceUrl = async () =>
    `http://${await kubectl("get", "service", "guestbook", "-o", "jsonpath={.spec.clusterIP}")}/`;

  beforeAll(async () => {
    await cluster.start();
  });

  afterAll(async () => {
    await cluster.dispose();
  });

  it("prints one line of JSON, and writes the kubeconfig for its owner only", () => {
    expect(cluster.ready).toMatchObject({ dataDir: cluster.directory, pid: expect.any(Number) as number });
    expect(cluster.ready.kubeconfig).toBe(join(cluster.directory, "kubeconfig"));
  });

  it("applies the manifests twice, the second time without a change", async () => {
    expect(await kubectl("apply", "-f", manifests)).toContain("deployment.apps/guestbook created");
    expect(await kubectl("apply", "-f", manifests)).toContain("deployment.apps/guestbook unchanged");
    await rolledOut();
  });

  it("runs three Pods, each with its own address that the host reaches", async () => {
    const text = await kubectl(
      "get",
      "pods",
      "-l",
      "app=guestbook",
      "-o",
      "jsonpath={.items[*].status.podIP}",
    );
    const addresses = text.split(" ");
    expect(new Set(addresses).size).toBe(3);
    for (const address of addresses)
      expect(await get(`http://${address}:8080/`)).toMatchObject({ version: "v1" });
  });

  it("shows logs, and returns the exit codes of commands", async () => {
    const [pod = ""] = await podNames();
    expect(await kubectl("logs", "deployment/guestbook")).toContain("guestbook v1 listens on 8080");
    expect(await kubectl("exec", pod, "--", "cat", "/etc/hostname")).toBe(`${pod.replace("pod/", "")}\n`);
    const failed = await collect(cluster.startKubectl("exec", pod, "--", "sh", "-c", "exit 7"), "");
    expect(failed.code).toBe(7);
  });

  it("spreads requests to the Service over its Pods, from the host and from a Pod by name", async () => {
    const url = await serviceUrl();
    const seen = new Set<string>();
    for (let i = 0; i < 40; i++) seen.add((await get(url))?.pod ?? "");
    expect(seen.size).toBe(3);
    const [pod = ""] = await podNames();
    const script = "fetch('http://guestbook/').then((r) => r.text()).then(console.log)";
    expect(await kubectl("exec", pod, "--", "node", "-e", script)).toContain('"version":"v1"');
  });

  it("answers on a node port, at a load balancer's address and on a host port, all on loopback", async () => {
    const expose = ["--name=outside", "--type=LoadBalancer", "--port=80", "--target-port=8080"];
    await kubectl("expose", "deployment", "guestbook", ...expose);
    const address = "{.status.loadBalancer.ingress[0].ip}";
    await kubectl("wait", "service/outside", `--for=jsonpath=${address}`, "--timeout=30s");
    const read = (path: string) => kubectl("get", "service", "outside", "-o", `jsonpath=${path}`);
    const hostPort = 20_000 + (process.pid % 10_000);
    const serve = "require('node:http').createServer((_, r) => r.end('{\"version\":\"host\"}')).listen(8080)";
    const container = {
      name: "host-port",
      image: "knarr.local/host:latest",
      command: ["node", "-e", serve],
      ports: [{ containerPort: 8080, hostPort }],
    };
    const overrides = JSON.stringify({ spec: { containers: [container] } });
    await kubectl("run", "host-port", `--image=${container.image}`, `--overrides=${overrides}`);
    await kubectl("wait", "pod/host-port", "--for=condition=Ready", "--timeout=30s");
    for (const [where, version] of [
      [`127.0.0.1:${await read("{.spec.ports[0].nodePort}")}`, "v1"],
      [await read(address), "v1"],
      [`127.0.0.1:${hostPort}`, "host"],
    ] as const) {
      let answer = await get(`http://${where}/`);
      // Each question to the API server takes a while, in which the proxy brings the rules up to date.
      for (let i = 0; i < 50 && answer === undefined; i++) {
        await read(address);
        answer = await get(`http://${where}/`);
      }
      expect(answer).toMatchObject({ version });
    }
    await kubectl("delete", "service/outside", "pod/host-port", "--grace-period=1");
  });

  it("forwards a port through the Service", async () => {
    const forward = cluster.startKubectl("port-forward", "service/guestbook", ":80");
    const port = await new Promise<string>((resolve) => {
      forward.stdout?.on("data", (chunk: Buffer) => {
        const found = /127\.0\.0\.1:(\d+)/.exec(chunk.toString());
        if (found?.[1] !== undefined) resolve(found[1]);
      });
    });
    expect(await get(`http://127.0.0.1:${port}/`)).toMatchObject({ version: "v1" });
    forward.kill();
  });

  it("shows with -w the states of new Pods: pending, being created, running with an address", async () => {
    const present = (await podNames()).map((name) => name.replace("pod/", ""));
    const watch = cluster.startKubectl("get", "pods", "-o", "wide", "-w");
    const stories = new Map<string, string[]>();
    const isDone = () =>
      stories.size === present.length + 1 &&
      [...stories.values()].every((rows) => /Running .*10\./.test(rows.at(-1) ?? ""));
    let text = "";
    await new Promise<void>((resolve, reject) => {
      watch.once("exit", () => reject(new Error(`the watch ended: ${text}`)));
      watch.stdout?.setEncoding("utf8").on("data", (piece: string) => {
        const lines = (text + piece).split("\n");
        text = lines.pop() ?? "";
        const isFirst = stories.size === 0;
        for (const line of lines.filter((one) => one.startsWith("guestbook-"))) {
          const name = line.slice(0, line.indexOf(" "));
          stories.set(name, [...(stories.get(name) ?? []), line]);
        }
        if (isFirst && stories.size > 0) void kubectl("scale", "deployment/guestbook", "--replicas=4");
        if (isDone()) resolve();
      });
    });
    watch.removeAllListeners("exit");
    watch.kill();
    const [added] = [...stories].filter(([name]) => !present.includes(name));
    const states = added?.[1].map((line) => line.split(/ +/)[2]);
    expect([...new Set(states)]).toEqual(["Pending", "ContainerCreating", "Running"]);
  });

  it("scales, rolls out and back, and keeps the history", async () => {
    await kubectl("scale", "deployment/guestbook", "--replicas=5");
    await rolledOut();
    expect(await podNames()).toHaveLength(5);
    await kubectl("set", "env", "deployment/guestbook", "VERSION=v2");
    await rolledOut();
    expect(await get(await serviceUrl())).toMatchObject({ version: "v2" });
    expect(await kubectl("rollout", "history", "deployment/guestbook")).toMatch(/1 .*\n2 /);
    await kubectl("rollout", "undo", "deployment/guestbook");
    await rolledOut();
    expect(await get(await serviceUrl())).toMatchObject({ version: "v1" });
  });

  it("replaces a Pod that is deleted", async () => {
    const [victim = ""] = await podNames();
    await kubectl("delete", victim);
    await rolledOut();
    const present = await podNames();
    expect(present).toHaveLength(5);
    expect(present).not.toContain(victim);
  });

  it("records its actions in events and descriptions", async () => {
    const [pod = ""] = await podNames();
    expect(await kubectl("get", "events")).toContain("Successfully assigned default/guestbook-");
    const description = await kubectl("describe", pod);
    for (const text of [
      "Status:           Running",
      "Started container guestbook",
      "Ready                       True",
    ]) {
      expect(description).toContain(text);
    }
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("keeps all state and containers after %s", async (signal) => {
    const running = async () =>
      kubectl(
        "get",
        "pods",
        "-l",
        "app=guestbook",
        "-o",
        "jsonpath={range .items[*]}{.metadata.name} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}{'\\n'}{end}",
      );
    const present = await running();
    expect(await cluster.stop(signal)).toBe(signal === "SIGTERM" ? 0 : null);
    await cluster.start("--cleanup");
    await rolledOut();
    expect(await running()).toBe(present);
    expect(await get(await serviceUrl())).toMatchObject({ version: "v1" });
  });

  it("deletes everything, and leaves nothing on the machine", async () => {
    await kubectl("delete", "-f", manifests);
    await kubectl("wait", "--for=delete", "pod", "-l", "app=guestbook", "--timeout=60s");
    expect(await kubectl("get", "all", "-o", "name")).toBe("service/kubernetes\n");
    expect(await cluster.stop()).toBe(0);
    // The commands keep files beside the cluster's.
    expect(readdirSync(cluster.directory).filter((name) => name !== ".kube")).toEqual([]);
    expect(hostState()).toEqual(before);
  });
});
