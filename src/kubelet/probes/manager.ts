import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Probe } from "../../api/core/pod/probe.ts";
import { aborted } from "../../util/abort.ts";
import { sleep } from "../../util/clock.ts";
import type { NodeContext, Probes } from "../node-context.ts";
import type { ProbeResults } from "../pod/view.ts";
import type { ProbeCount } from "./probe-counts.ts";
import { isSidecar } from "../pod/roles.ts";
import { isEnding, latest } from "../pod/view.ts";
import type { SandboxStatus } from "../runtime.ts";
import { runProbe } from "./handlers.ts";
import { initialProbeState, nextProbeState } from "./machine.ts";

/** The probes of one incarnation of a container. */
interface Probed {
  /** Undefined without probes. */
  readonly stop: AbortController | undefined;
  results: ProbeResults;
  readonly container: string;
  /** The number of results, by kind and result. */
  readonly counts: Map<string, Pick<ProbeCount, "type" | "result"> & { count: number }>;
}

/** Runs every probe of every container on the node, each in a loop of its own. */
export class ProbeManager implements Probes {
  readonly #node: () => NodeContext;
  /** By Pod UID, then container ID. */
  readonly #pods = new Map<string, Map<string, Probed>>();
  /** The newest state of each Pod, for the probe loops. */
  readonly #current = new Map<string, Pod>();

  constructor(node: () => NodeContext) {
    this.#node = node;
  }

  follow(pod: Pod, sandboxes: readonly SandboxStatus[], changed: () => void): void {
    const { uid = "" } = pod.metadata;
    this.#current.set(uid, pod);
    const probed = this.#pods.get(uid) ?? new Map<string, Probed>();
    this.#pods.set(uid, probed);
    const running = new Set<string>();
    const { initContainers = [], containers } = pod.spec;
    for (const container of [...initContainers.filter(isSidecar), ...containers]) {
      const status = latest({ sandboxes }, container.name);
      if (status?.state !== "running") continue;
      running.add(status.id);
      if (probed.has(status.id)) continue;
      const ip = sandboxes.at(-1)?.ips[0] ?? this.#node().addresses.hostIPs[0] ?? "";
      const reported = reportedResults(pod, status.id);
      probed.set(status.id, this.#start(uid, container, status.id, ip, changed, reported));
    }
    for (const [id, { stop }] of probed) {
      if (running.has(id)) continue;
      stop?.abort(aborted);
      probed.delete(id);
    }
  }

  forget(uid: string): void {
    for (const { stop } of this.#pods.get(uid)?.values() ?? []) stop?.abort(aborted);
    this.#pods.delete(uid);
    this.#current.delete(uid);
  }

  close(): void {
    for (const uid of this.#pods.keys()) this.forget(uid);
  }

  /** Counts the probes of the containers that run now (kubelet `prober.ProberResults`). */
  *counts(): Iterable<ProbeCount> {
    for (const [uid, containers] of this.#pods) {
      const { namespace = "", name: pod = "" } = this.#current.get(uid)?.metadata ?? {};
      for (const { container, counts } of containers.values())
        for (const one of counts.values()) yield { namespace, pod, podUid: uid, container, ...one };
    }
  }

  #count({ uid, id, kind: type }: ProbeTask, isGood: boolean): void {
    const counts = this.#pods.get(uid)?.get(id)?.counts;
    const result = isGood ? "successful" : "failed";
    const key = `${type} ${result}`;
    const count = (counts?.get(key)?.count ?? 0) + 1;
    counts?.set(key, { type, result, count });
  }

  results(uid: string): ReadonlyMap<string, ProbeResults> {
    return new Map([...(this.#pods.get(uid) ?? [])].map(([id, { results }]) => [id, results]));
  }

  #start(
    uid: string,
    container: Container,
    id: string,
    ip: string,
    changed: () => void,
    reported: ReturnType<typeof reportedResults>,
  ): Probed {
    const { startupProbe, readinessProbe, livenessProbe } = container;
    const results = {
      started: startupProbe === undefined || reported.started,
      ready: readinessProbe === undefined || reported.ready,
    };
    if (startupProbe === undefined && readinessProbe === undefined && livenessProbe === undefined)
      return { stop: undefined, results, container: container.name, counts: new Map() };
    const stop = new AbortController();
    const { signal } = stop;
    const probed: Probed = { stop, results, container: container.name, counts: new Map() };
    const note = (found: Partial<ProbeResults>) => {
      probed.results = { ...probed.results, ...found };
      changed();
    };
    const probe = (kind: ProbeTask["kind"], what: Probe, settle: (ok: boolean) => void) =>
      this.#loop({ uid, container, id, ip, kind, probe: what, settle, signal });
    const others = () => {
      if (readinessProbe !== undefined) probe("Readiness", readinessProbe, (ready) => note({ ready }));
      if (livenessProbe !== undefined) {
        probe("Liveness", livenessProbe, (alive) => {
          if (!alive) note({ failed: "failed liveness probe" });
        });
      }
    };
    if (startupProbe === undefined || results.started) others();
    else {
      probe("Startup", startupProbe, (started) => {
        if (!started) note({ failed: "failed startup probe" });
        else if (!probed.results.started) {
          note({ started });
          others();
        }
      });
    }
    return probed;
  }

  #loop(task: ProbeTask): void {
    void this.#run(task).catch((error: unknown) => {
      this.#node().env.log.error("Cannot continue a probe", {
        container: task.container.name,
        error: String(error),
      });
    });
  }

  async #run(task: ProbeTask): Promise<void> {
    const { container, id, ip, kind, probe, settle, signal } = task;
    const node = this.#node();
    const { clock } = node.env;
    await sleep(clock, (probe.initialDelaySeconds ?? 0) * 1000, signal);
    let state = initialProbeState;
    for (let pod = this.#probable(task); pod !== undefined; pod = this.#probable(task)) {
      const { failure, warning } = await runProbe(node, pod, container, id, ip, probe);
      if (this.#probable(task) === undefined) return;
      this.#count(task, failure === undefined);
      if (failure !== undefined) this.#event(pod, container, "Unhealthy", `${kind} probe failed: ${failure}`);
      if (warning !== undefined)
        this.#event(pod, container, "ProbeWarning", `${kind} probe warning: ${warning}`);
      const before = state.settled;
      state = nextProbeState(state, failure === undefined, probe);
      if (state.settled !== before && state.settled !== "unknown") settle(state.settled === "success");
      // A container that has started needs no more startup probes, and one that is to be restarted no more at all.
      if (kind === "Startup" && state.settled === "success") return;
      if (kind !== "Readiness" && state.settled === "failure") return;
      await sleep(clock, (probe.periodSeconds ?? 10) * 1000, signal);
    }
  }

  #event({ apiVersion, kind, metadata }: Pod, container: Container, reason: string, message: string): void {
    const about = { apiVersion, kind, metadata, fieldPath: `spec.containers{${container.name}}` };
    this.#node().events.event(about, "Warning", reason, message);
  }

  /**
   * The Pod as long as it is to be probed. A Pod that terminates shows to the end whether it still serves, and is not
   * restarted.
   */
  #probable({ uid, kind, signal }: ProbeTask): Pod | undefined {
    const pod = signal.aborted ? undefined : this.#current.get(uid);
    return pod !== undefined && kind !== "Readiness" && isEnding({ pod }) ? undefined : pod;
  }
}

/**
 * Returns the results that the Pod's status has of this very container: a restart of the node agent does not make ready
 * containers unready until their next probe (upstream's gate ChangeContainerStatusOnKubeletRestart is off).
 */
function reportedResults(
  { status }: Pod,
  id: string,
): { readonly started: boolean; readonly ready: boolean } {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const own = all.find(({ containerID = "" }) => containerID.endsWith(`://${id}`));
  return { started: own?.started === true, ready: own?.started === true && own.ready };
}

interface ProbeTask {
  readonly uid: string;
  readonly container: Container;
  readonly id: string;
  readonly ip: string;
  readonly kind: "Startup" | "Readiness" | "Liveness";
  readonly probe: Probe;
  readonly settle: (succeeded: boolean) => void;
  readonly signal: AbortSignal;
}
