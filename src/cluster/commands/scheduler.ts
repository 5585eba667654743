import { compileSelector } from "../../expressions/device-selectors.ts";
import { readFileSync } from "node:fs";
import { describeFlags, parseFlags, UsageError } from "../../cli/flags.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { readConfiguration, type SchedulerConfiguration } from "../../scheduler/configuration/read.ts";
import { Extender } from "../../scheduler/extenders/extender.ts";
import { httpPost } from "../../scheduler/extenders/http.ts";
import type { Shard } from "../../scheduler/shard.ts";
import { Scheduler, type SchedulerOptions } from "../../scheduler/scheduler.ts";
import { componentFlags, runComponent } from "../component.ts";
import { securePort } from "../component-endpoint/serve.ts";

const specs = {
  ...componentFlags,
  "secure-port": securePort(10259),
  config: {
    type: "string",
    value: "FILE",
    help: "A KubeSchedulerConfiguration: profiles, plugins and their arguments.",
  },
  shard: {
    type: "int",
    value: "N",
    default: 0,
    help: "The part of the Pods that this scheduler takes, from 0. Each shard has a Lease of its own.",
  },
  "total-shards": {
    type: "int",
    value: "N",
    default: 1,
    help: "The number of schedulers that share the Pods and decide at the same time. Needs Knarr's API server.",
  },
} as const;

const help = `Schedule the Pods of a cluster: of Knarr's (start it with --disable-scheduler), or of any other Kubernetes.

Usage:
  knarr scheduler [flags]

Examples:
  knarr scheduler --kubeconfig .knarr/kubeconfig
  knarr scheduler --kubeconfig FILE --config scheduler.yaml
  knarr scheduler --kubeconfig FILE --shard 0 --total-shards 2

Flags:
${describeFlags(specs)}
`;

export async function scheduler(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] !== undefined) throw new UsageError(`unknown argument: ${args[0]}`);
  const shard = shardOf(flags.shard, flags["total-shards"]);
  const read = flags.config === undefined ? undefined : readConfiguration(readFileSync(flags.config, "utf8"));
  const { leaderElection: election = {}, clientConnection = {} } = read?.configuration ?? {};
  const options = {
    ...flags,
    kubeconfig: flags.kubeconfig ?? nonEmpty(clientConnection.kubeconfig),
    "leader-elect": election.leaderElect ?? flags["leader-elect"],
    "leader-elect-resource-namespace":
      nonEmpty(election.resourceNamespace) ?? flags["leader-elect-resource-namespace"],
    lease: (nonEmpty(election.resourceName) ?? "kube-scheduler") + (shard.total > 1 ? `-${shard.index}` : ""),
    election: {
      ...milliseconds("leaseDurationMs", election.leaseDuration),
      ...milliseconds("renewDeadlineMs", election.renewDeadline),
      ...milliseconds("retryPeriodMs", election.retryPeriod),
    },
  };
  return runComponent(options, ({ env, transport }, signal) =>
    new Scheduler({ env, transport, shard, compileSelector, ...optionsOf(read) }).run(signal),
  );
}

const maxShards = 64;

function shardOf(index: number, total: number): Shard {
  if (total < 1 || total > maxShards) throw new UsageError(`--total-shards must be from 1 to ${maxShards}`);
  if (index < 0 || index >= total) throw new UsageError(`--shard must be from 0 to ${total - 1}`);
  return { index, total };
}

function optionsOf(
  read: SchedulerConfiguration | undefined,
): Pick<SchedulerOptions, "profiles" | "extenders" | "backoff"> {
  if (read === undefined) return {};
  const { podInitialBackoffSeconds: first = 1, podMaxBackoffSeconds: last = 10 } = read.configuration;
  const { extenders = [] } = read.configuration;
  return {
    profiles: read.profiles,
    extenders: extenders.map((one) => new Extender(one, httpPost(one))),
    backoff: { firstMs: first * 1000, maxMs: last * 1000 },
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** The duration under the key, unless it is absent or zero. */
function milliseconds<K extends string>(key: K, text = "0s"): { readonly [P in K]?: number } {
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds === undefined) throw new UsageError(`time: invalid duration ${JSON.stringify(text)}`);
  // Safe: the key is the only one.
  return nanoseconds === 0n ? {} : ({ [key]: Number(nanoseconds / 1_000_000n) } as { [P in K]?: number });
}
