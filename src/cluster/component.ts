import { programFlags } from "./common-flags.ts";
import { hostname } from "node:os";
import { Client } from "../client/client.ts";
import { type Connection, HttpTransport } from "../client/http.ts";
import { inClusterContext } from "../client/in-cluster.ts";
import { loadKubeconfig, resolveContext } from "../client/kubeconfig.ts";
import { type LeaderElectionOptions, runAsLeader } from "../client/leader-election.ts";
import type { Transport } from "../client/transport.ts";
import { systemClock } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { Metrics } from "../util/metrics/metrics.ts";
import { measureProcess } from "../util/metrics/process.ts";
import { systemRandom, uuid } from "../util/random.ts";
import { endpointFlags, type EndpointFlags, serveEndpoint } from "./component-endpoint/serve.ts";
import { StopRequests } from "./stop-request.ts";
import { levelOf, textLogger } from "./text-logger.ts";

/** The flags of a component that runs as a program of its own, with upstream's names. */
export const componentFlags = {
  kubeconfig: {
    type: "string",
    value: "FILE",
    help: "The API server and the credentials for it (default: those of the Pod that this runs in).",
  },
  "leader-elect": {
    type: "bool",
    default: true,
    help: "Work only while holding a Lease, so that another copy can stand by.",
  },
  "leader-elect-resource-namespace": {
    type: "string",
    value: "NAME",
    default: "kube-system",
    help: "The Lease's namespace.",
  },
  ...endpointFlags,
  ...programFlags,
} as const;

export interface ComponentFlags extends EndpointFlags {
  readonly kubeconfig: string | undefined;
  readonly "leader-elect": boolean;
  readonly "leader-elect-resource-namespace": string;
  readonly "log-level": string;
}

export interface ComponentOptions {
  /** The name of the Lease, and of the component to the API server. */
  readonly lease: string;
  /** The times of the election. Default: client-go's. */
  readonly election?: Pick<LeaderElectionOptions, "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs">;
}

/** The surroundings of a component that runs as a program of its own. */
export interface Component {
  readonly env: Env;
  readonly connection: Connection;
  /** Acts with the credentials of the kubeconfig. */
  readonly transport: Transport;
}

/**
 * Runs a component until the process is asked to stop. Resolves to the exit code: 1 once the Lease is lost, because a
 * component that starts anew knows nothing stale.
 */
export async function runComponent(
  { lease, election = {}, ...flags }: ComponentFlags & ComponentOptions,
  work: (component: Component, signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const log = textLogger(systemClock, levelOf(flags["log-level"]));
  const metrics = new Metrics();
  measureProcess(metrics, systemClock);
  const env: Env = { clock: systemClock, random: systemRandom, log, metrics };
  const connection = await connectionOf(flags.kubeconfig);
  const transport = new HttpTransport(connection, { clock: systemClock, userAgent: lease, metrics });
  const stop = new AbortController();
  const endpoint = new AbortController();
  void new StopRequests(false).first.then(() => stop.abort());
  log.info("started", { server: connection.server });
  const lead = async (signal: AbortSignal) => {
    log.info("at work");
    await work({ env, connection, transport }, signal);
  };
  try {
    const client = new Client(transport, { fieldManager: lease });
    await serveEndpoint(flags, { env, metrics, client, name: lease }, endpoint.signal);
    if (flags["leader-elect"]) {
      const namespace = flags["leader-elect-resource-namespace"];
      const identity = `${hostname()}_${uuid(systemRandom)}`;
      const onNewLeader = (leader: string) => log.info("a leader was elected", { leader });
      const options = { client, env, namespace, name: lease, identity, onNewLeader, ...election };
      await runAsLeader(options, stop.signal, lead);
    } else await lead(stop.signal);
  } finally {
    await transport.close();
    endpoint.abort();
  }
  if (stop.signal.aborted) return 0;
  log.error("the leader election was lost");
  return 1;
}

async function connectionOf(kubeconfig: string | undefined): Promise<Connection> {
  if (kubeconfig === undefined) return (await inClusterContext(process.env)).connection;
  return (await resolveContext(await loadKubeconfig([kubeconfig]))).connection;
}
