import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { planExpansion } from "./plan.ts";

const recheckMs = 15_000;
const resizerAnnotation = "volume.kubernetes.io/storage-resizer";

/** Leaves the expansion of claims to external resizers, and says so (upstream `volume/expand`). */
export function volumeExpander(): Controller {
  return controller({
    name: "expand-controller",
    eventSource: "volume_expand",
    for: persistentVolumeClaims,
    reads: [persistentVolumes],
    workers: 10,
    async reconcile({ namespace, name, cache, client, events }) {
      const claim = cache.get(persistentVolumeClaims, namespace, name);
      if (claim?.status.phase !== "Bound") return {};
      const { volumeName = "" } = claim.spec;
      const volume = cache.get(persistentVolumes, undefined, volumeName);
      // The cache may show the claim before its volume.
      if (volume === undefined || volume.spec.claimRef?.uid !== claim.metadata.uid)
        return { requeueAfterMs: recheckMs };
      const expansion = planExpansion(claim, volume);
      if (expansion === undefined) return {};
      const { message, resizer } = expansion;
      events.event(claim, "Normal", "ExternalExpanding", message);
      if (resizer === undefined || claim.metadata.annotations?.[resizerAnnotation] === resizer) return {};
      const patch = { metadata: { annotations: { [resizerAnnotation]: resizer } } };
      const own = client.of(persistentVolumeClaims, namespace);
      await ignoreGone(own.patch(name, patch, { type: "merge", subresource: "status" }));
      return {};
    },
  });
}
