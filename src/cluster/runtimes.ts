import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Runtime } from "../kubelet/runtime.ts";
import type { Env } from "../util/env.ts";

export const runtimeNames = ["auto", "native", "cri", "simulated"] as const;
export type RuntimeName = (typeof runtimeNames)[number];

/** A chosen runtime, with the reason for the user. */
export interface ChosenRuntime {
  readonly name: Exclude<RuntimeName, "auto">;
  readonly why: string;
  /** The way to get real containers, if this runtime was chosen for the lack of them. */
  readonly mend?: string;
}

const criSockets = ["/run/containerd/containerd.sock", "/run/crio/crio.sock"];

/**
 * Chooses the best runtime that this machine supports, unless the user named one. @throws Error with the
 * missing requirement
 */
export async function chooseRuntime(asked: RuntimeName): Promise<ChosenRuntime> {
  if (asked === "cri") {
    throw new Error(
      "Cannot use --runtime cri: this version runs containers by itself; choose native or simulated",
    );
  }
  if (asked === "simulated") return { name: "simulated", why: "as asked" };
  const { nativeUnavailable } = await import("../kubelet/native/native-runtime.ts");
  const obstacle = nativeUnavailable();
  if (obstacle === undefined)
    return { name: "native", why: asked === "native" ? "as asked" : nativeReason() };
  if (asked === "native") throw new Error(`Cannot use --runtime native: ${obstacle}`);
  const lacksRoot = process.platform === "linux" && process.getuid?.() !== 0;
  const mend = lacksRoot
    ? "run with sudo for real containers"
    : "use a machine that has it for real containers";
  return { name: "simulated", why: `no containers here: ${obstacle}`, mend };
}

function nativeReason(): string {
  const socket = criSockets.find((path) => existsSync(path));
  return socket === undefined ? "Linux with root" : `Linux with root; ${socket} is left alone`;
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
  const images = await ImageStore.open({ directory: join(dataDirectory, "images"), env });
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
