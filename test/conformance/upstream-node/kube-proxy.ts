import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Program } from "./program.ts";
import { writeCredentials } from "./credentials.ts";

/** The address of the Service's endpoint inside the namespace, and the namespace's own. */
const own = "192.0.2.2/24";

export interface KubeProxyOptions {
  readonly program: string;
  readonly directory: string;
  readonly server: string;
  readonly pki: string;
}

/** kube-proxy in a network namespace of its own, which reaches the API server and nothing else. */
export class KubeProxy {
  readonly #namespace = `knarr-proxy-${process.pid}`;
  readonly #programs: Program[] = [];
  readonly #options: KubeProxyOptions;

  constructor(options: KubeProxyOptions) {
    this.#options = options;
  }

  start(): void {
    const { program, directory, server, pki } = this.#options;
    mkdirSync(directory, { recursive: true });
    const kubeconfig = writeCredentials(directory, { server, pki, subject: "/CN=system:kube-proxy" });
    spawnSync("ip", ["netns", "add", this.#namespace]);
    this.inside("ip", "link", "set", "lo", "up");
    this.inside("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d1");
    this.inside("ip", "addr", "add", own, "dev", "d0");
    for (const link of ["d0", "d1"]) this.inside("ip", "link", "set", link, "up");
    this.inside("ip", "route", "add", "default", "via", "192.0.2.1");
    const { host } = new URL(server);
    const socket = join(directory, "api");
    const relay = [process.execPath, join(import.meta.dirname, "relay.ts")];
    this.#run("relay-out", [...relay, socket, host]);
    this.#run("relay-in", [...this.#enter, ...relay, host, socket]);
    const file = join(directory, "config.yaml");
    writeFileSync(file, configuration(kubeconfig));
    this.#run("kube-proxy", [...this.#enter, program, "--config", file]);
  }

  /** Runs a command in the namespace. */
  inside(...words: readonly string[]) {
    const [command = "", ...rest] = [...this.#enter, ...words];
    return spawnSync(command, rest, { encoding: "utf8", timeout: 10_000 });
  }

  /** Serves a page at an address of the namespace, as the Service's endpoint. */
  serve(busybox: string, address: string, folder: string): void {
    this.inside("ip", "addr", "add", `${address}/32`, "dev", "d0");
    this.#run("httpd", [...this.#enter, busybox, "httpd", "-f", "-p", `${address}:80`, "-h", folder]);
  }

  async stop(): Promise<void> {
    for (const one of this.#programs.toReversed()) await one.stop();
    spawnSync("ip", ["netns", "del", this.#namespace]);
  }

  get #enter(): readonly string[] {
    return ["nsenter", `--net=/run/netns/${this.#namespace}`];
  }

  #run(name: string, line: readonly string[]): void {
    this.#programs.push(new Program(name, line, join(this.#options.directory, `${name}.log`)));
  }
}

function configuration(kubeconfig: string): string {
  return JSON.stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clientConnection: { kubeconfig },
    hostnameOverride: "peer-1",
    bindAddress: "127.0.0.1",
    healthzBindAddress: "127.0.0.1:10256",
    metricsBindAddress: "127.0.0.1:10249",
    // The machine's own limits stay as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  });
}
