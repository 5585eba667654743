import { jobs } from "../../api/batch/job/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { untilExpiredMs } from "./plan.ts";

/** Deletes finished Jobs after their time to live (upstream `ttlafterfinished_controller.go`). */
export function ttlAfterFinishedController(): Controller {
  return controller({
    name: "ttl-after-finished-controller",
    for: jobs,
    workers: 5,
    async reconcile({ namespace, name, cache, client, env }) {
      const cached = cache.get(jobs, namespace, name);
      const leftMs = cached === undefined ? undefined : untilExpiredMs(cached, env.clock.now());
      if (leftMs !== 0) return { requeueAfterMs: leftMs };
      // The time to live may have changed since the cached state.
      const own = client.of(jobs, namespace);
      const fresh = await own.get(name).catch((error: unknown) => {
        if (hasReason(error, "NotFound")) return undefined;
        throw error;
      });
      if (fresh === undefined) return {};
      const freshMs = untilExpiredMs(fresh, env.clock.now());
      if (freshMs !== 0) return { requeueAfterMs: freshMs };
      const preconditions = { uid: fresh.metadata.uid ?? "" };
      await ignoreGone(own.delete(name, { propagationPolicy: "Foreground", preconditions }));
      return {};
    },
  });
}
