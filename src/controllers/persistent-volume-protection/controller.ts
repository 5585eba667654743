import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { plan } from "./plan.ts";

/** Keeps deleted volumes while they are bound (upstream `volume/pvprotection`). */
export function volumeProtectionController(): Controller {
  return controller({
    name: "pv-protection-controller",
    for: persistentVolumes,
    async reconcile({ name, cache, client }) {
      const volume = cache.get(persistentVolumes, undefined, name);
      const changed = volume === undefined ? undefined : plan(volume);
      if (changed !== undefined) await ignoreGone(client.of(persistentVolumes).update(changed));
    },
  });
}
