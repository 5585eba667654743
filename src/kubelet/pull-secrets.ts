import type { Pod } from "../api/core/pod/schema.ts";
import { secrets } from "../api/core/secret/schema.ts";
import { errorText } from "../util/error-text.ts";
import { Keyring } from "./images/keyring.ts";
import type { NodeContext } from "./node-context.ts";
import type { RegistryCredentials } from "./runtime.ts";

/**
 * Returns the credentials of a Pod's pull secrets for an image. Those of its service account are in the Pod's spec since
 * its admission. A missing or invalid secret is an Event, and the others are used (kubelet `getPullSecretsForPod`).
 */
export async function pullCredentials(
  node: NodeContext,
  pod: Pod,
  image: string,
): Promise<readonly RegistryCredentials[]> {
  const ring = new Keyring();
  const missing: string[] = [];
  for (const { name = "" } of pod.spec.imagePullSecrets ?? []) {
    if (name === "") continue;
    try {
      const { type, data = {} } = await node.client.of(secrets, pod.metadata.namespace).get(name);
      const bytes = (key: string) => Buffer.from(Object.hasOwn(data, key) ? (data[key] ?? "") : "", "base64");
      if (type === "kubernetes.io/dockerconfigjson") ring.addConfigJson(bytes(".dockerconfigjson"));
      if (type === "kubernetes.io/dockercfg") ring.addConfig(bytes(".dockercfg"));
    } catch (error) {
      node.env.log.warn("Cannot use an image pull secret", { secret: name, error: errorText(error) });
      missing.push(name);
    }
  }
  if (missing.length > 0) {
    const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
    node.events.event(pod, "Warning", "FailedToRetrieveImagePullSecret", message);
  }
  return ring.lookup(image);
}
