import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { runtimeClasses } from "../../api/node/runtime-class/schema.ts";
import type { InvolvedObject } from "../../client/event-recorder.ts";
import { type ContainerConfig, RuntimeError, type SandboxStatus } from "../runtime.ts";
import { runHook } from "../hooks.ts";
import type { NodeContext } from "../node-context.ts";
import { containerConfig } from "./container-config.ts";
import type { Action } from "./plan.ts";
import { ensureImage, ensureImageVolumes } from "./ensure-image.ts";
import { wholePod } from "../allocation/sizes.ts";
import { sandboxConfig } from "./sandbox-config.ts";
import { hasReason } from "../../meta/status.ts";
import { errorText } from "../../util/error-text.ts";

/** Volumes come first: a Pod whose Secret is missing reports that, and holds no address meanwhile. */
export async function createSandbox(
  node: NodeContext,
  pod: Pod,
  attempt: number,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await node.volumes.prepare(node, pod, signal);
    checkHostPorts(node, pod);
    const runtimeHandler = await handlerOf(node, pod);
    await node.runtime.runSandbox({ ...sandboxConfig(node, pod, attempt), ...runtimeHandler });
    await node.allocations.actuate(pod.metadata.uid ?? "", wholePod, pod.spec.resources);
  } catch (error) {
    if (signal?.aborted === true) throw error; // The Pod ends: nobody waits for its volumes.
    const message = errorText(error);
    const reason =
      error instanceof RuntimeError && error.reason === "CreateContainerConfigError"
        ? "FailedMount"
        : "FailedCreatePodSandBox";
    node.events.event(pod, "Warning", reason, message);
    throw error;
  }
}

/** Returns the handler of the Pod's RuntimeClass. @throws RuntimeError CreatePodSandboxError when it does not exist */
async function handlerOf(node: NodeContext, { spec }: Pod): Promise<{ readonly runtimeHandler?: string }> {
  const { runtimeClassName: name = "" } = spec;
  if (name === "") return {};
  try {
    return { runtimeHandler: (await node.client.of(runtimeClasses).get(name)).handler };
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
    const message = `failed to get sandbox runtime: failed to get RuntimeClass ${JSON.stringify(name)}: ${errorText(error)}`;
    throw new RuntimeError("CreatePodSandboxError", message, error);
  }
}

/** Records an Event when the Pod has host ports that this node does not serve. */
function checkHostPorts(node: NodeContext, pod: Pod): void {
  if (node.runtime.servesHostPorts || pod.spec.hostNetwork === true) return;
  const ports = pod.spec.containers
    .flatMap((container) => container.ports ?? [])
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort, protocol = "TCP" }) => `${hostPort}/${protocol}`);
  if (ports.length === 0) return;
  const message = `Host ports ${ports.join(", ")} are not served: this node's container runtime does not map host ports`;
  node.events.event(pod, "Warning", "HostPortNotServed", message);
}

export async function launchContainer(
  node: NodeContext,
  pod: Pod,
  sandbox: SandboxStatus,
  container: Container,
  attempt: number,
  signal?: AbortSignal,
): Promise<void> {
  const about = partOf(pod, container);
  await ensureImage(node, pod, about, container);
  await ensureImageVolumes(node, pod, container);
  try {
    const volumes = await node.volumes.prepare(node, pod, signal);
    const config = await containerConfig(node, pod, container, { sandbox, volumes, attempt });
    checkSeccomp(node, about, config);
    checkGroupsPolicy(node, config);
    const id = await node.runtime.createContainer(sandbox.id, config);
    node.events.event(about, "Normal", "Created", `Created container: ${container.name}`);
    await node.runtime.startContainer(id);
    await node.allocations.actuate(pod.metadata.uid ?? "", container.name, container.resources);
    node.events.event(about, "Normal", "Started", `Started container ${container.name}`);
    await afterStart(node, pod, container, id, about);
  } catch (error) {
    const message = errorText(error);
    node.events.event(about, "Warning", "Failed", `Error: ${message}`);
    throw error;
  }
}

/**
 * Records an Event when a container runs without the confinement that its Pod requests. A Localhost profile
 * is refused instead: its author relies on it, as upstream relies on its file.
 */
function checkSeccomp(node: NodeContext, about: InvolvedObject, { name, security }: ContainerConfig): void {
  const { type } = security.seccomp;
  if (node.runtime.appliesSeccomp || type === "Unconfined") return;
  const cannot = "this node's container runtime does not apply seccomp profiles";
  if (type === "Localhost") {
    throw new RuntimeError("CreateContainerError", `cannot load the Localhost seccomp profile: ${cannot}`);
  }
  const message = `Container ${name} runs unconfined instead of with the seccomp profile ${type}: ${cannot}`;
  node.events.event(about, "Warning", "SeccompProfileNotApplied", message);
}

/** Refuses `Strict` where the image's groups would give further rights (kubelet `lifecycle/features`). */
function checkGroupsPolicy({ runtime }: NodeContext, { security }: ContainerConfig): void {
  if (runtime.obeysGroupsPolicy || security.supplementalGroupsPolicy === "Merge") return;
  const message = "SupplementalGroupsPolicy=Strict is not supported in this node";
  throw new RuntimeError("CreateContainerError", message);
}

/** Runs the postStart hook. Its failure stops the container, and the restart policy decides. */
async function afterStart(
  node: NodeContext,
  pod: Pod,
  container: Container,
  id: string,
  about: InvolvedObject,
): Promise<void> {
  const hook = container.lifecycle?.postStart;
  if (hook === undefined) return;
  const failure = await runHook(node, pod, container, id, hook);
  if (failure === undefined) return;
  node.events.event(about, "Warning", "FailedPostStartHook", `PostStartHook failed: ${failure}`);
  await node.runtime.stopContainer(id, (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
}

/** The least time that a container has to stop after its preStop hook used up the grace period. */
const minimumGraceMs = 2000;

/** Runs preStop within the grace period; the stop signal follows with the rest of it. */
export async function killContainer(
  node: NodeContext,
  pod: Pod,
  { id, name, container, graceMs, why }: Extract<Action, { type: "stopContainer" }>,
): Promise<void> {
  const about = container === undefined ? pod : partOf(pod, container);
  const text = why === "" ? `Stopping container ${name}` : why;
  node.events.event(about, "Normal", "Killing", text);
  const start = node.env.clock.monotonic();
  const hook = container?.lifecycle?.preStop;
  if (hook !== undefined && container !== undefined && graceMs > 0) {
    const failure = await runHook(node, pod, container, id, hook, graceMs);
    if (failure !== undefined)
      node.events.event(about, "Warning", "FailedPreStopHook", `PreStopHook failed: ${failure}`);
    const left = graceMs - (node.env.clock.monotonic() - start);
    await node.runtime.stopContainer(id, Math.max(left, minimumGraceMs));
    return;
  }
  await node.runtime.stopContainer(id, graceMs);
}

function partOf({ apiVersion, kind, metadata }: Pod, { name }: Container): InvolvedObject {
  return { apiVersion, kind, metadata, fieldPath: `spec.containers{${name}}` };
}
