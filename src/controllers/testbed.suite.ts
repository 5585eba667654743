/* oxlint-disable no-restricted-imports -- Controllers know the cluster only through client/; their tests need a real one. */
import { afterEach } from "vitest";
import { events } from "../api/core/event/schema.ts";
import { namespaces } from "../api/core/namespace/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import { serviceAccounts } from "../api/core/service-account/schema.ts";
import { about, type AdmissionPlugin } from "../apiserver/admission/plugin.ts";
import { testAdmission, testServer } from "../apiserver/test-server.suite.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process.ts";
import type { Transport } from "../client/transport.ts";
import { reconcileBootstrapPolicy } from "../cluster/bootstrap-policy/reconcile.ts";
import { identities } from "../cluster/identities.ts";
import type { UserInfo } from "../meta/exchange.ts";
import type { Draft } from "../meta/schema.ts";
import { controller, type Controller } from "../operator/controller.ts";
import { Manager } from "../operator/manager.ts";
import { formatTime, sleep } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import type { Logger } from "../util/logger.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";

const admin: UserInfo = { name: "admin", groups: ["system:masters"] };

/**
 * A real API server over memory, on virtual time, with the controllers under test acting under their own
 * roles.
 */
export interface Testbed {
  readonly clock: VirtualClock;
  readonly env: Env;
  /** Acts as an administrator. */
  readonly client: Client;
  /** The log messages at warn and above. */
  readonly complaints: readonly string[];
  /** The Events about an object, as `reason: message`, in the order of writing. */
  eventsOf(name: string): Promise<readonly string[]>;
  /** Runs further controllers as an administrator. */
  runAsAdmin(...more: readonly Controller[]): void;
  /**
   * Runs a component that is no controller until the test ends. `as` returns a transport with a controller's
   * identity.
   */
  run(start: (as: (controller: string) => Transport, signal: AbortSignal) => Promise<void>): void;
  /** Waits on virtual time until `probe` resolves to true. */
  until(probe: () => Promise<boolean>, limitMs?: number): Promise<void>;
}

export interface TestbedOptions {
  /** Milliseconds by which the watch of a resource (its plural) lags behind. */
  readonly lagMs?: (plural: string) => number;
}

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

export async function startTestbed(
  make: (env: Env) => readonly Controller[],
  { lagMs }: TestbedOptions = {},
): Promise<Testbed> {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const env = { clock, random: seededRandom(7), log: collectingLogger(complaints) };
  const server = testServer(env, { admission: [...testAdmission, placePods] });
  const stop = new AbortController();
  const parts = [server.run(stop.signal)];
  running.push(async () => {
    stop.abort();
    await Promise.allSettled(parts);
  });
  const transport = (user: UserInfo) => {
    const direct = new InProcessTransport(server.handle, user);
    return lagMs === undefined ? direct : lagging(direct, clock, lagMs);
  };
  const client = new Client(transport(admin), { fieldManager: "test" });
  const names = ["default", "kube-system", "kube-public", "kube-node-lease"];
  for (const name of names) await addNamespace(client, name);
  await reconcileBootstrapPolicy(client);
  const run = (chosen: readonly Controller[], manager: UserInfo, user: (name: string) => UserInfo) => {
    const transportFor = (name: string) => transport(user(name));
    const one = new Manager({ env, transport: transport(manager), transportFor });
    for (const each of chosen) one.add(each);
    parts.push(one.run(stop.signal));
  };
  run(make(env), identities.controllerManager, identities.controller);
  await clock.settle();
  return {
    clock,
    env,
    client,
    complaints,
    eventsOf: async (name) => {
      const { items } = await client.of(events).list();
      const about = items.filter(({ involvedObject }) => involvedObject.name === name);
      return about.map(({ reason, message }) => `${reason}: ${message}`);
    },
    run: (begin) => void parts.push(begin((name) => transport(identities.controller(name)), stop.signal)),
    runAsAdmin: (...more) => run(more, admin, () => admin),
    until: (probe, limitMs = 3_600_000) => until(clock, probe, limitMs, complaints),
  };
}

function lagging(transport: Transport, clock: VirtualClock, lagMs: (plural: string) => number): Transport {
  return {
    shared: transport.shared,
    request: (request) => transport.request(request),
    stream: (request) => transport.stream(request),
    close: () => transport.close(),
    async *watch(request) {
      for await (const batch of transport.watch(request)) {
        await sleep(clock, lagMs(request.path.split("/").at(-1) ?? ""), request.signal);
        yield batch;
      }
    },
  };
}

/** Plays the scheduler: assigns every new Pod without a node to `node-1`. */
const placePods: AdmissionPlugin = {
  name: "PlacePods",
  mutate(attributes) {
    const pod = about(pods, attributes);
    if (pod?.operation === "CREATE" && pod.object !== undefined)
      pod.object.spec.nodeName ??= requiredNode(pod.object) ?? "node-1";
  },
};

/** The node that a Pod demands by name. */
function requiredNode({ spec }: Draft<Pod>): string | undefined {
  const { nodeSelectorTerms } =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  return nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0];
}

export async function addNamespace(client: Client, name: string): Promise<void> {
  await client.of(namespaces).create({ metadata: { name } });
  await client.of(serviceAccounts, name).create({ metadata: { name: "default" } });
}

async function until(
  clock: VirtualClock,
  probe: () => Promise<boolean>,
  limitMs: number,
  complaints: readonly string[],
): Promise<void> {
  const limit = clock.now() + limitMs;
  await clock.settle();
  while (!(await probe())) {
    const next = clock.untilNext();
    if (next === undefined || clock.now() + next > limit) {
      throw new Error(
        [`Cannot reach the condition within ${limitMs} ms`, ...complaints.slice(-10)].join("\n"),
      );
    }
    await clock.advance(next);
    await clock.settle();
  }
}

function collectingLogger(into: string[]): Logger {
  const note = (message: string, facts: object = {}) => {
    const { error, ...rest } = facts as { error?: unknown };
    into.push(`${message} ${JSON.stringify(rest)} ${error instanceof Error ? error.message : ""}`);
  };
  const log: Logger = { debug() {}, info() {}, warn: note, error: note, with: () => log };
  return log;
}

export interface NodeOptions {
  /** Reports whether a Pod becomes ready. Default: every Pod does. */
  readonly ready?: (pod: Pod) => boolean;
  /** Milliseconds until a Pod becomes ready. */
  readonly startMs?: number;
  /** Milliseconds that a Pod takes to terminate. */
  readonly stopMs?: number;
}

/** Plays the kubelets: runs Pods, and terminates them when they are deleted. */
export function pretendNodes(
  env: Env,
  { ready = () => true, startMs = 0, stopMs = 0 }: NodeOptions = {},
): Controller {
  const since = new Map<string, number>();
  const waits = (what: string, ms: number) => {
    const from = since.get(what) ?? env.clock.now();
    since.set(what, from);
    return from + ms - env.clock.now();
  };
  let ip = 0;
  return controller({
    name: "pretend-nodes",
    for: pods,
    async reconcile({ namespace, name, cache, client }) {
      const pod = cache.get(pods, namespace, name);
      if (pod === undefined) return {};
      const { uid = "", deletionTimestamp } = pod.metadata;
      if (deletionTimestamp !== undefined) {
        const left = waits(`stop ${uid}`, stopMs);
        if (left > 0) return { requeueAfterMs: left };
        await client.of(pods, namespace).delete(name, { gracePeriodSeconds: 0 });
        return {};
      }
      const left = waits(`start ${uid}`, startMs);
      if (left > 0) return { requeueAfterMs: left };
      const isReady = ready(pod) ? "True" : "False";
      const present = pod.status.conditions?.find(({ type }) => type === "Ready");
      if (present?.status === isReady) return {};
      const others = (pod.status.conditions ?? []).filter(({ type }) => type !== "Ready");
      const lastTransitionTime = formatTime(env.clock.now());
      const podIP = pod.status.podIP ?? `10.244.${ip >> 8}.${++ip & 255}`;
      await client.of(pods, namespace).updateStatus({
        ...pod,
        status: {
          ...pod.status,
          phase: "Running",
          podIP,
          podIPs: [{ ip: podIP }],
          conditions: [...others, { type: "Ready", status: isReady, lastTransitionTime }],
        },
      });
      return {};
    },
  });
}
