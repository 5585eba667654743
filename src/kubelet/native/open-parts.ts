import { writeFile } from "node:fs/promises";
import { isInUserNamespace } from "../../util/own-ids.ts";
import { NoCgroups } from "./cgroup/none.ts";
import { openCgroups } from "./cgroup/open-cgroups.ts";
import { Containers, supervisorsCgroup } from "./containers.ts";
import { ExitWatch } from "./exit-watch.ts";
import { HintQueue } from "../hint-queue.ts";
import { prepareHost, removeStale, type HostTraces } from "./host-state.ts";
import { AddressPool } from "./network/address-pool.ts";
import { Bridge, loopbackLinks } from "./network/bridge.ts";
import { parsePodNetwork } from "../../util/ipv4.ts";
import type { NativeOptions } from "./options.ts";
import { Sandboxes } from "./sandboxes.ts";
import { ScriptShell } from "./script-shell.ts";
import { SessionServer } from "./session-server.ts";
import { Spawner } from "./spawner.ts";
import { StatePaths } from "./state-paths.ts";

/** The parts of an open runtime. */
export interface Parts extends HostTraces {
  readonly sandboxes: Sandboxes;
  readonly containers: Containers;
  readonly exits: ExitWatch;
  readonly spawner: Spawner;
  readonly sessions: SessionServer;
  readonly hints: HintQueue;
}

/** Prepares the host, adopts the state on disk, and removes everything without a record. */
export async function openParts(options: NativeOptions): Promise<Parts> {
  const { env, images } = options;
  const { clock, random } = env;
  const paths = new StatePaths(options.stateDirectory);
  const network = parsePodNetwork(options.podCIDR);
  const shell = new ScriptShell();
  const bridge =
    options.bridge === undefined ? loopbackLinks : new Bridge(options.bridge, network, shell, env.log);
  const [sameBoot, cgroups] = await Promise.all([
    prepareHost(paths, shell),
    isInUserNamespace ? new NoCgroups(paths.containers, env) : openCgroups(options.cgroup, env),
    bridge.ensure(),
  ]);
  await cgroups.create(supervisorsCgroup, {}, false);
  const addresses = await AddressPool.open(paths.addresses, network);
  const traces = { paths, shell, cgroups, bridge, addresses };

  const spawner = new Spawner({
    errorLog: paths.spawnerLog,
    started: async (pid) => {
      for (const file of cgroups.joinFiles(supervisorsCgroup)) await writeFile(file, String(pid));
    },
  });
  const hints = new HintQueue();
  const sandboxes = new Sandboxes({ ...traces, spawner, clock, random });
  const exits = new ExitWatch(paths, (id) => {
    const record = containers.find(id);
    const sandbox = record && sandboxes.find(record.sandboxId);
    if (sandbox === undefined) return;
    hints.push(sandbox.config.pod.uid);
    containers
      .reap(id)
      .catch((error: unknown) =>
        env.log.warn("Cannot end the processes of a container", { container: id, error: String(error) }),
      );
  });
  const containers = new Containers({
    paths,
    cgroups,
    images,
    seccompDirectory: options.seccompDirectory,
    sandboxes,
    exits,
    spawner,
    clock,
    random,
  });
  const [sessions] = await Promise.all([
    SessionServer.open(paths.sessions),
    spawner.connect(),
    sandboxes.load(sameBoot),
  ]);
  await containers.load();
  const known = sandboxes.values().map(({ id }) => id);
  await removeStale(traces, known, supervisorsCgroup);
  return { ...traces, sandboxes, containers, exits, spawner, sessions, hints };
}
