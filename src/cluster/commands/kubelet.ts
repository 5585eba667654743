import { programFlags, runtimeFlags } from "../common-flags.ts";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { describeFlags, type Flags, parseFlags, UsageError } from "../../cli/flags.ts";
import { HttpTransport } from "../../client/http.ts";
import { ConfigurationError } from "../../meta/component-configuration.ts";
import { systemClock } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { Metrics } from "../../util/metrics/metrics.ts";
import { measureProcess } from "../../util/metrics/process.ts";
import { systemRandom } from "../../util/random.ts";
import {
  defaultKubeletConfiguration,
  type KubeletConfiguration,
  readKubeletConfiguration,
} from "../kubelet-configuration.ts";
import { kubeletConnection, readNamed } from "../kubelet-connection.ts";
import { nodeLabelsOf, nodeNameOf, taintsOf } from "../kubelet-flags.ts";
import { openKubeletNode } from "../kubelet-node.ts";
import { runKubelet } from "../run-kubelet.ts";
import { chooseRuntime, runtimeNames } from "../runtimes.ts";
import { StopRequests } from "../stop-request.ts";
import { levelOf, textLogger } from "../text-logger.ts";

const specs = {
  kubeconfig: { type: "string", value: "FILE", help: "The API server and the node's credentials for it." },
  "bootstrap-kubeconfig": {
    type: "string",
    value: "FILE",
    help: "Credentials to request a certificate with, when --kubeconfig is missing: it is written then.",
  },
  config: { type: "string", value: "FILE", help: "A KubeletConfiguration (kubelet.config.k8s.io/v1beta1)." },
  "hostname-override": {
    type: "string",
    value: "NAME",
    help: "The node's name (default: the machine's host name).",
  },
  "node-ip": {
    type: "string",
    value: "ADDRESS",
    help: "The node's address (default: the machine's first address that others could reach).",
  },
  "node-labels": { type: "string", value: "LIST", default: "", help: "Labels of the node: key=value,…" },
  "register-with-taints": {
    type: "string",
    value: "LIST",
    default: "",
    help: "Taints of a node that is new: key=value:effect,…",
  },
  ...runtimeFlags,
  "root-dir": {
    type: "string",
    value: "DIR",
    default: "/var/lib/knarr/kubelet",
    help: "The directory of containers, images, volumes and logs.",
  },
  ...programFlags,
} as const;

const help = `Run the Pods of one node of a cluster elsewhere: of Knarr's, or of any other Kubernetes.

Usage:
  knarr kubelet --kubeconfig FILE [flags]

Examples:
  knarr kubelet --kubeconfig node.kubeconfig --hostname-override worker-1
  knarr kubelet --kubeconfig node.kubeconfig --bootstrap-kubeconfig bootstrap.kubeconfig --config kubelet.yaml

Flags:
${describeFlags(specs)}
`;

export async function kubelet(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] !== undefined) throw new UsageError(`unknown argument: ${args[0]}`);
  const log = textLogger(systemClock, levelOf(flags["log-level"]));
  const metrics = new Metrics();
  measureProcess(metrics, systemClock);
  const env: Env = { clock: systemClock, random: systemRandom, log, metrics };
  const stop = new AbortController();
  void new StopRequests(false).first.then(() => stop.abort());
  return serveNode(env, flags, stop.signal);
}

async function serveNode(env: Env, flags: Flags<typeof specs>, signal: AbortSignal): Promise<number> {
  const nodeName = nodeNameOf(flags["hostname-override"], hostname());
  const configuration = configurationOf(flags.config, env);
  const labels = nodeLabelsOf(flags["node-labels"]);
  const taints = [...configuration.registerWithTaints, ...taintsOf(flags["register-with-taints"])];
  const named = runtimeNames.find((name) => name === flags.runtime);
  if (named === undefined) throw new UsageError("--runtime must be auto, native, cri or simulated");
  const directory = resolve(flags["root-dir"]);
  const endpoint = flags["container-runtime-endpoint"];
  const runtime = await chooseRuntime({
    clock: env.clock,
    asked: named,
    endpoint,
    directory,
    servesNetwork: false,
  });
  env.log.info("runs containers", { runtime: runtime.name, why: runtime.why });
  const { kubeconfig, "bootstrap-kubeconfig": bootstrapKubeconfig, "node-ip": nodeIP } = flags;
  const connection = await kubeletConnection({ env, nodeName, kubeconfig, bootstrapKubeconfig }, signal);
  const options = { env, nodeName, directory, runtime, configuration, nodeIP, labels, taints };
  const node = await openKubeletNode(options);
  const transport = new HttpTransport(connection, {
    clock: env.clock,
    userAgent: "kubelet",
    metrics: env.metrics,
  });
  env.log.info("started", { node: nodeName, server: connection.server });
  try {
    await runKubelet({ env, setup: node.setup, transport, configuration }, signal);
  } finally {
    await transport.close();
    await node.close();
  }
  return signal.aborted ? 0 : 1;
}

/** @throws UsageError for a configuration that is refused */
function configurationOf(file: string | undefined, { log }: Env): KubeletConfiguration {
  if (file === undefined) return defaultKubeletConfiguration;
  try {
    return readKubeletConfiguration(readNamed("--config", file), (field) =>
      log.warn("a field of the KubeletConfiguration is not obeyed", { field }),
    );
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`--config ${file}: ${error.message}`);
  }
}
