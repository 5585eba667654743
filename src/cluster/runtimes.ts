import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Runtime } from "../kubelet/runtime.ts";
import type { BridgeNetwork } from "../kubelet/cri/cni-bridge.ts";
import type { CriRuntime } from "../kubelet/cri/cri-runtime.ts";
import type { Clock } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { errorText } from "../util/error-text.ts";
import { lastId, ownIds } from "../util/own-ids.ts";
import { podCgroups } from "./pod-cgroups.ts";
import { writePrivate } from "./write-private.ts";
import { isRootless, relaySocket } from "./rootless/inside.ts";
import { isOrdinaryUser, rootlessObstacle } from "./rootless/launch.ts";

export const runtimeNames = ["auto", "native", "cri", "simulated"] as const;
export type RuntimeName = (typeof runtimeNames)[number];

/** A chosen runtime, with the reason for the user. */
export interface ChosenRuntime {
  readonly name: Exclude<RuntimeName, "auto">;
  readonly why: string;
  /** The way to get real containers, or their network, if this runtime was chosen for the lack of them. */
  readonly mend?: string;
  /** The place of the container runtime, for `cri`. */
  readonly cri?: CriPlace;
}

/** A container runtime of this machine. */
export interface CriPlace {
  readonly socket: string;
  /** Undefined when its Pods are not on a bridge: then Knarr serves no cluster addresses. */
  readonly network: BridgeNetwork | undefined;
  /** True if the Pods' cgroups can be made beside the runtime; otherwise Pods have no limits of their own. */
  readonly usesCgroupfs: boolean;
}

export interface RuntimeRequest {
  readonly clock: Clock;
  readonly asked: RuntimeName;
  /** The container runtime of `--container-runtime-endpoint`: a path, or a `unix://` URL. */
  readonly endpoint?: string | undefined;
  /** The directory of the cluster or the node: one with containers keeps its runtime. */
  readonly directory: string;
  /** True if this process serves Services to the Pods, for which their network must be a bridge. */
  readonly servesNetwork: boolean;
}

/** Upstream's default sockets (kubelet `--container-runtime-endpoint`, kubeadm). */
const criSockets = ["/run/containerd/containerd.sock", "/run/crio/crio.sock"];

/**
 * Chooses the best runtime that this machine supports, unless the user named one. @throws Error with the
 * missing requirement
 */
export async function chooseRuntime(request: RuntimeRequest): Promise<ChosenRuntime> {
  const { asked, endpoint } = request;
  if (asked === "simulated") return { name: "simulated", why: "as asked" };
  if (asked === "cri" || (asked === "auto" && endpoint !== undefined)) return criAsAsked(request);
  if (endpoint !== undefined)
    throw new Error(`Cannot use --container-runtime-endpoint: --runtime ${asked} has no endpoint`);
  const found = asked === "auto" && !isRootless ? await findCri(request) : { left: "" };
  if ("name" in found) return found;
  return chooseOwn(request, found.left);
}

const rootlessReason = `Linux as an ordinary user: no limits of CPU and memory${lastId(ownIds.users) === 0 ? ", root as the only user in containers" : ""}`;

/** Chooses between native and simulated containers. `left` is the reason why a runtime with a socket is not used. */
async function chooseOwn(request: RuntimeRequest, left: string): Promise<ChosenRuntime> {
  const { asked, directory, servesNetwork } = request;
  const { nativeUnavailable } = await import("../kubelet/native/native-runtime.ts");
  const rootless = isOrdinaryUser && servesNetwork ? rootlessObstacle(directory) : undefined;
  const obstacle = rootless ?? nativeUnavailable();
  if (obstacle === undefined) {
    const root = left === "" ? "Linux with root" : `Linux with root; ${left}`;
    const why = isRootless ? rootlessReason : root;
    return { name: "native", why: asked === "native" && !isRootless ? "as asked" : why };
  }
  if (asked === "native") throw new Error(`Cannot use --runtime native: ${obstacle}`);
  const lacksRoot = process.platform === "linux" && process.getuid?.() !== 0;
  const mend = lacksRoot
    ? "run with sudo for real containers"
    : "use a machine that has it for real containers";
  return { name: "simulated", why: `no containers here: ${obstacle}`, mend };
}

/** Uses the named container runtime, or the only one whose socket exists. @throws Error with the obstacle */
async function criAsAsked(request: RuntimeRequest): Promise<ChosenRuntime> {
  const { clock, endpoint, directory, servesNetwork } = request;
  const refuse = (why: string) => new Error(`Cannot use --runtime cri: ${why}`);
  if (process.platform !== "linux" || process.getuid?.() !== 0) throw refuse("it needs Linux and root");
  if (hasNativeContainers(directory))
    throw refuse("the cluster has native containers; remove it first with knarr down --cleanup");
  const socket =
    endpoint === undefined
      ? (keptSocket(directory) ?? criSockets.find((path) => existsSync(path)))
      : socketOf(endpoint);
  if (socket === undefined)
    throw refuse(`no socket at ${criSockets.join(" or ")}; name one with --container-runtime-endpoint`);
  const { probeRuntime } = await import("../kubelet/cri/probe.ts");
  const probed = await probeRuntime(clock, socket).catch((error: unknown) => {
    throw refuse(errorText(error));
  });
  if (probed.obstacle !== undefined) throw refuse(`${probed.name} is not ready: ${probed.obstacle}`);
  const why = `${probed.name} at ${socket}`;
  const chosen = {
    name: "cri",
    cri: { socket, network: probed.network, usesCgroupfs: probed.usesCgroupfs },
  } as const;
  if (probed.network !== undefined || !servesNetwork) return { ...chosen, why };
  return {
    ...chosen,
    why: `${why}; its network is not a CNI bridge, so Pods do not reach Services`,
    mend: "use the CNI plugin bridge with host-local addresses",
  };
}

/**
 * Uses a container runtime at one of the default sockets if Pods would work there as they do with native containers;
 * otherwise returns the reason. A cluster with containers keeps its runtime.
 */
async function findCri(request: RuntimeRequest): Promise<ChosenRuntime | { readonly left: string }> {
  const { clock, directory } = request;
  if (keptSocket(directory) !== undefined) return criAsAsked(request);
  const socket = criSockets.find((path) => existsSync(path));
  if (socket === undefined || process.getuid?.() !== 0 || hasNativeContainers(directory))
    return { left: socket === undefined ? "" : `${socket} is left alone` };
  const { probeRuntime } = await import("../kubelet/cri/probe.ts");
  try {
    const { name, obstacle, network, usesCgroupfs } = await probeRuntime(clock, socket);
    if (obstacle !== undefined) return { left: `${name} is not used: ${obstacle}` };
    if (network === undefined && request.servesNetwork)
      return { left: `${name} is not used: its network is not a CNI bridge` };
    return { name: "cri", why: `${name} at ${socket}`, cri: { socket, network, usesCgroupfs } };
  } catch (error) {
    return { left: `${errorText(error)}, so it is not used` };
  }
}

function hasNativeContainers(directory: string): boolean {
  return existsSync(join(directory, "run"));
}

/** @throws Error for an endpoint that is no Unix socket */
function socketOf(endpoint: string): string {
  const path = endpoint.replace(/^unix:(\/\/)?/, "");
  if (path.startsWith("/")) return path;
  throw new Error(
    `Cannot use --container-runtime-endpoint ${JSON.stringify(endpoint)}: not the path of a Unix socket`,
  );
}

/** The file with the socket of the container runtime that holds the cluster's containers. */
const socketFile = "cri/socket";

function keptSocket(directory: string): string | undefined {
  const file = join(directory, socketFile);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

export interface RuntimeOptions {
  readonly env: Env;
  readonly dataDirectory: string;
  readonly podCIDR: string;
  /**
   * The name of the bridge and the cgroup, unique among the clusters of one machine. At most 15 characters.
   */
  readonly kernelName: string;
}

/**
 * Opens the runtime of a node of this machine. `destroyAll` removes everything that it has left on the host.
 */
export async function openNativeRuntime(
  options: RuntimeOptions,
): Promise<Runtime & { destroyAll(): Promise<void> }> {
  const { env, dataDirectory, podCIDR, kernelName } = options;
  const { ImageStore } = await import("../kubelet/images/image-store.ts");
  const { NativeRuntime } = await import("../kubelet/native/native-runtime.ts");
  const relay = relaySocket();
  const fetch =
    relay === undefined ? undefined : (await import("./rootless/relay-fetch.ts")).relayFetch(relay);
  const images = await ImageStore.open({
    directory: join(dataDirectory, "images"),
    env,
    ...(fetch !== undefined && { fetch }),
  });
  return NativeRuntime.open({
    env,
    images,
    stateDirectory: join(dataDirectory, "run"),
    seccompDirectory: join(dataDirectory, "seccomp"),
    podCIDR,
    bridge: kernelName,
    cgroup: kernelName,
  });
}

/** Opens the container runtime of a node of this machine, and keeps its socket for the next start. */
export async function openCriRuntime(
  { env, dataDirectory, kernelName }: Omit<RuntimeOptions, "podCIDR">,
  { socket, usesCgroupfs }: CriPlace,
): Promise<CriRuntime> {
  const { CriRuntime } = await import("../kubelet/cri/cri-runtime.ts");
  const stateDirectory = join(dataDirectory, "cri");
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const runtime = await CriRuntime.open({
    env,
    socket,
    stateDirectory: join(stateDirectory, "sandboxes"),
    seccompDirectory: join(dataDirectory, "seccomp"),
    owner: kernelName,
    ...(usesCgroupfs && { cgroups: await podCgroups(kernelName, env) }),
  });
  if (!usesCgroupfs)
    env.log.warn("Pods have no limits beyond those of their containers: the runtime uses systemd's cgroups");
  writePrivate(join(dataDirectory, socketFile), socket);
  return runtime;
}
