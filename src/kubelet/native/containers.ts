import { closeSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { sleep, type Clock } from "../../util/clock.ts";
import type { Random } from "../../util/random.ts";
import type { ImageStore } from "../images/image-store.ts";
import { appendToLog } from "../safe-path/log-file.ts";
import { RuntimeError, type ContainerConfig, type ContainerStatus, type Resources } from "../runtime.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import { ContainerStates } from "./container-states.ts";
import { launchFilter } from "./container-seccomp.ts";
import { unknownExitCode, type ExitWatch } from "./exit-watch.ts";
import { cgroupPath, planFile, prepareContainer, type Processes } from "./prepare-container.ts";
import { isAlive, readHandle, signal, type ProcessHandle } from "../process-handle.ts";
import { processSpec } from "./process-spec.ts";
import { loadRecords, saveRecord, type ContainerRecord } from "./records.ts";
import type { Sandboxes } from "./sandboxes.ts";
import { type Spawner, startErrorCode } from "./spawner.ts";
import type { StatePaths } from "./state-paths.ts";
import { errorText } from "../../util/error-text.ts";
import { ownValue } from "../../util/table.ts";

export interface ContainersOptions {
  readonly paths: StatePaths;
  readonly cgroups: Cgroups;
  readonly images: ImageStore;
  readonly seccompDirectory: string;
  readonly sandboxes: Sandboxes;
  readonly exits: ExitWatch;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly random: Random;
}

/** The cgroup of the spawner and the supervisors. */
export const supervisorsCgroup = "supervisors";

/** The greatest time that a stop waits for a start in progress. */
const bootPatienceMs = 5000;

export class Containers {
  readonly #options: ContainersOptions;
  readonly #records = new Map<string, ContainerRecord>();
  readonly #states: ContainerStates;
  /** Starts in progress, by container; none rejects. */
  readonly #starts = new Map<string, Promise<void>>();

  constructor(options: ContainersOptions) {
    this.#options = options;
    this.#states = new ContainerStates({ ...options, exists: (id) => this.#records.has(id) });
  }

  /** Adopts the containers on disk. */
  async load(): Promise<void> {
    const { paths, images } = this.#options;
    const { records, incomplete } = await loadRecords(paths.containers, "container.json", parse);
    for (const id of incomplete) await this.#clear(id);
    for (const record of records) {
      this.#records.set(record.id, record);
      images.hold(record.id, record.imageId);
    }
  }

  of(sandboxId: string): readonly ContainerRecord[] {
    return this.values().filter((record) => record.sandboxId === sandboxId);
  }

  values(): readonly ContainerRecord[] {
    return [...this.#records.values()];
  }

  /** @throws RuntimeError `NotFound`. */
  get(id: string): ContainerRecord {
    const record = this.#records.get(id);
    if (record === undefined) throw new RuntimeError("NotFound", `container ${id} does not exist`);
    return record;
  }

  /** Ends what an ended container's first process has left behind, where it was not the first of a PID namespace. */
  async reap(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record === undefined) return;
    const { hostPID, sharesProcesses } = this.#options.sandboxes.get(record.sandboxId).config;
    if (hostPID || sharesProcesses || record.config.target !== undefined)
      await this.#options.cgroups.kill(cgroupPath(record));
  }

  find(id: string): ContainerRecord | undefined {
    return this.#records.get(id);
  }

  async create(sandboxId: string, config: ContainerConfig): Promise<string> {
    const { paths, cgroups, images, sandboxes, clock, random, seccompDirectory } = this.#options;
    const sandbox = sandboxes.get(sandboxId);
    if (!sandbox.ready) throw new RuntimeError("CreateContainerError", `sandbox ${sandboxId} is not ready`);
    const image = await images.resolve(config.image);
    if (image === undefined)
      throw new RuntimeError("ImageNotFound", `image ${config.image} is not on this node`);
    const id = Buffer.from(random.bytes(16)).toString("hex");
    const record: ContainerRecord = {
      id,
      sandboxId,
      config,
      imageId: image.id,
      process: await processSpec(image, config, sandbox.config.hostname),
      logPath: join(sandbox.config.logDirectory, config.name, `${config.attempt}.log`),
      createdAt: clock.now(),
      started: false,
    };
    images.hold(id, image.id);
    try {
      await mkdir(paths.container(id), { mode: 0o700 });
      const namespaces = sandboxes.pins(sandboxId);
      const users = sandboxes.users(sandboxId);
      const processes = await this.#processesFor(sandboxId, config);
      const { bounding = [] } = record.process.credentials;
      const seccomp = await launchFilter(config.security.seccomp, bounding, seccompDirectory);
      await prepareContainer({ paths, cgroups, record, image, namespaces, users, processes, seccomp });
      await this.#save(record);
    } catch (error) {
      await this.#clear(id);
      await cgroups.remove(cgroupPath(record));
      await images.release(id);
      const why = errorText(error);
      throw new RuntimeError("CreateContainerError", `Cannot create container ${config.name}: ${why}`, error);
    }
    return id;
  }

  async #processesFor(sandboxId: string, { target }: ContainerConfig): Promise<Processes> {
    const { sandboxes } = this.#options;
    if (target !== undefined) return this.init(target);
    const { hostPID, sharesProcesses } = sandboxes.get(sandboxId).config;
    if (hostPID) return "host";
    return sharesProcesses ? sandboxes.pause(sandboxId) : "own";
  }

  start(id: string): Promise<void> {
    const start = this.#start(id).finally(() => this.#starts.delete(id));
    this.#starts.set(
      id,
      start.catch(() => {}), // Its caller handles the error.
    );
    return start;
  }

  async #start(id: string): Promise<void> {
    const { paths, exits, spawner } = this.#options;
    const record = this.get(id);
    if (record.started) throw new RuntimeError("RunContainerError", `container ${id} was started before`);
    const plan = await readFile(paths.container(id, planFile));
    await makeLog(record.logPath);
    const outcome = await this.#states.starting(id, async () => {
      await this.#save({ ...record, started: true });
      return spawner.run(plan);
    });
    if (outcome.what === "started") return;
    const failure = outcome.what === "failed" ? outcome.why : "it ended before its command ran";
    if ((await exits.read(id)) === undefined) await exits.record(id, startErrorCode);
    await this.#save({ ...record, started: true, message: failure });
    throw new RuntimeError("RunContainerError", `Cannot start container ${record.config.name}: ${failure}`);
  }

  async stop(id: string, graceMs: number): Promise<void> {
    const { paths, cgroups, exits, clock } = this.#options;
    await this.#booted(id, graceMs);
    const record = this.get(id);
    if ((await this.status(record)).state !== "running") return;
    const ended = exits.ended(id);
    const init = await readHandle(paths.container(id, "init"));
    if (init !== undefined && graceMs > 0) {
      await signal(init, signalNumber(record.process.stopSignal));
      const patience = new AbortController();
      await Promise.race([ended, sleep(clock, graceMs, patience.signal)]);
      patience.abort();
    }
    // By cgroup: in the host's PID namespace, the end of the first process does not end the others.
    await cgroups.kill(cgroupPath(record));
    await this.#expectEnd(record, init);
    await ended;
  }

  async remove(id: string): Promise<void> {
    const { cgroups, exits, images } = this.#options;
    const record = this.#records.get(id);
    if (record === undefined) return;
    await this.stop(id, 0);
    this.#records.delete(id);
    this.#states.forget(id);
    await this.#clear(id);
    await cgroups.remove(cgroupPath(record));
    await exits.forget(id);
    await images.release(id);
  }

  async update(id: string, resources: Resources): Promise<void> {
    const record = this.get(id);
    await this.#options.cgroups.update(cgroupPath(record), resources);
    const merged = { ...record.config.resources, ...resources };
    await this.#save({ ...record, config: { ...record.config, resources: merged } });
  }

  /**
   * Returns the first process of a running container. @throws RuntimeError `NotFound` when the container does
   * not run.
   */
  async init(id: string): Promise<ProcessHandle> {
    const init = await readHandle(this.#options.paths.container(id, "init"));
    if (init !== undefined && (await isAlive(init)) && (await this.status(this.get(id))).state === "running")
      return init;
    throw new RuntimeError("NotFound", `container ${id} is not running`);
  }

  status(record: ContainerRecord): Promise<ContainerStatus> {
    return this.#states.status(record);
  }

  /**
   * Waits for a start in progress: a kill before the boot joined the container's cgroup would miss the boot.
   */
  async #booted(id: string, graceMs: number): Promise<void> {
    const start = this.#starts.get(id);
    if (start === undefined) return;
    const patience = new AbortController();
    const late = sleep(this.#options.clock, Math.max(graceMs, bootPatienceMs), patience.signal);
    await Promise.race([start, late]);
    patience.abort();
    if (!this.#starts.has(id)) return;
    // The boot hangs, and so joined its cgroup long ago: without its first process it fails.
    await this.#options.cgroups.kill(cgroupPath(this.get(id)));
    await start;
  }

  /** Records the exit of a container without a supervisor. */
  async #expectEnd(record: ContainerRecord, init: ProcessHandle | undefined): Promise<void> {
    const supervisor = await readHandle(this.#options.paths.container(record.id, "supervisor"));
    if (supervisor !== undefined && (await isAlive(supervisor))) return;
    if (init !== undefined && (await isAlive(init))) await signal(init, "SIGKILL");
    if ((await this.#options.exits.read(record.id)) === undefined) {
      await this.#options.exits.record(record.id, unknownExitCode);
    }
  }

  async #save(record: ContainerRecord): Promise<void> {
    await saveRecord(this.#options.paths.container(record.id, "container.json"), record);
    this.#records.set(record.id, record);
  }

  /** Deletes the record first, so that an interrupted removal is recognized as incomplete. */
  async #clear(id: string): Promise<void> {
    await rm(this.#options.paths.container(id, "container.json"), { force: true });
    await rm(this.#options.paths.container(id), { recursive: true, force: true });
  }
}

/** @throws RuntimeError for an unknown signal. Real-time signals are `SIGRTMIN+n`. */
function signalNumber(name: string): number {
  if (/^\d+$/.test(name)) return Number(name);
  const realtime = /^(?:SIG)?RTMIN(?:\+(\d+))?$/.exec(name);
  if (realtime !== null) return 34 + Number(realtime[1] ?? 0);
  const full = name.startsWith("SIG") ? name : `SIG${name}`;
  const number = ownValue(constants.signals, full);
  if (number === undefined) throw new RuntimeError("CreateContainerConfigError", `unknown signal ${name}`);
  return number;
}

/** Creates the log, which its supervisor opens. */
async function makeLog(path: string): Promise<void> {
  // The node agent owns the logs' directory.
  await mkdir(dirname(dirname(dirname(path))), { recursive: true, mode: 0o755 });
  closeSync(appendToLog(path));
}

function parse(json: string): ContainerRecord {
  return JSON.parse(json) as ContainerRecord;
}
