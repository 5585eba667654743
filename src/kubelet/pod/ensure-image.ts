import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { InvolvedObject } from "../../client/event-recorder.ts";
import { formatGoDuration } from "../../meta/protobuf/go-duration.ts";
import { errorText } from "../../util/error-text.ts";
import type { NodeContext } from "../node-context.ts";
import { type ImageStatus, RuntimeError } from "../runtime.ts";
import { podFacts } from "./facts.ts";

/** Always pulls; IfNotPresent pulls a missing image; Never does not pull. */
export async function ensureImage(
  node: NodeContext,
  pod: Pod,
  about: InvolvedObject,
  { image = "", imagePullPolicy = "IfNotPresent" }: Pick<Container, "image" | "imagePullPolicy">,
): Promise<void> {
  const { images } = node.runtime;
  const facts = podFacts(pod);
  const quoted = JSON.stringify(image);
  const present = await images.inspect(image, facts);
  const isLocal = present !== undefined && imagePullPolicy !== "Always";
  if (isLocal) {
    node.events.event(about, "Normal", "Pulled", `Container image ${quoted} already present on machine`);
    return;
  }
  if (imagePullPolicy === "Never") {
    const message = `Container image ${quoted} is not present with pull policy of Never`;
    node.events.event(about, "Warning", "ErrImageNeverPull", message);
    throw new RuntimeError("ErrImageNeverPull", message);
  }
  node.events.event(about, "Normal", "Pulling", `Pulling image ${quoted}`);
  try {
    const { clock } = node.env;
    const start = clock.monotonic();
    const { sizeBytes } = await pullWith(node, pod, image);
    const took = formatGoDuration(BigInt(Math.round(clock.monotonic() - start)) * 1_000_000n);
    const message = `Successfully pulled image ${quoted} in ${took} (${took} including waiting). Image size: ${sizeBytes} bytes.`;
    node.events.event(about, "Normal", "Pulled", message);
  } catch (error) {
    const message = errorText(error);
    node.events.event(about, "Warning", "Failed", `Failed to pull image ${quoted}: ${message}`);
    throw error instanceof RuntimeError ? error : new RuntimeError("ErrImagePull", message, error);
  }
}

/** Does the same for the images that the container mounts as volumes (kubelet `getImageVolumes`). */
export async function ensureImageVolumes(
  node: NodeContext,
  pod: Pod,
  { volumeMounts = [] }: Container,
): Promise<void> {
  for (const { name, image } of pod.spec.volumes ?? []) {
    if (image === undefined || !volumeMounts.some((mount) => mount.name === name)) continue;
    const { reference = "", pullPolicy = "IfNotPresent" } = image;
    await ensureImage(node, pod, pod, { image: reference, imagePullPolicy: pullPolicy });
  }
}

/** Pulls with each of the Pod's credentials for the image until one is accepted; without any, anonymously. */
async function pullWith(node: NodeContext, pod: Pod, image: string): Promise<ImageStatus> {
  const { images } = node.runtime;
  const facts = podFacts(pod);
  const hasSecrets = (pod.spec.imagePullSecrets ?? []).length > 0;
  const [first, ...others] = hasSecrets ? await node.pullCredentials(pod, image) : [];
  let failure: unknown;
  for (const credentials of [first, ...others]) {
    try {
      return await images.pull(image, facts, credentials);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
