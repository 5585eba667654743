import type { Env } from "../../util/env.ts";
import type { Resources } from "../runtime.ts";

export interface CriOptions {
  readonly env: Env;
  /** The path of the runtime's socket. */
  readonly socket: string;
  /** The directory of the agent's files for sandboxes. Only the owner may enter it. */
  readonly stateDirectory: string;
  /** The directory of the node's own seccomp profiles, for containers with `Localhost`. */
  readonly seccompDirectory: string;
  /** The value of a label on each sandbox and container of this agent: several agents may share a runtime. */
  readonly owner: string;
  /** Makes the Pods' cgroups. Without it, a Pod has no limits beyond those of its containers. */
  readonly cgroups?: PodCgroups;
}

/** The cgroups of Pods, in which the runtime makes those of containers. */
export interface PodCgroups {
  /** Creates a Pod's cgroup with its limits. Resolves to the runtime's `cgroup_parent`. */
  create(name: string, resources: Resources): Promise<string>;
  /** Changes the limits of a Pod's cgroup. */
  update(name: string, resources: Resources): Promise<void>;
  /** Succeeds when the cgroup does not exist. */
  remove(name: string): Promise<void>;
}
