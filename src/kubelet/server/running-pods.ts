import type { KubeletHost } from "./host.ts";

/** Returns the Pods that the runtime runs, with what it knows of them (kubelet `kubecontainer.Pod.ToAPIPod`). */
export function runningPods(host: KubeletHost): object {
  const items = host.pods().flatMap(({ metadata }) => {
    const { namespace, name, uid = "" } = metadata;
    const containers = host
      .sandboxes(uid)
      .flatMap((sandbox) => sandbox.containers)
      .filter(({ state }) => state === "running")
      .map((one) => ({ name: one.name, image: one.image, resources: {} }));
    return containers.length === 0
      ? []
      : [{ metadata: { name, namespace, uid }, spec: { containers }, status: {} }];
  });
  return { kind: "PodList", apiVersion: "v1", metadata: {}, items };
}
