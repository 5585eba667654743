import { clusterRoles } from "../../api/rbac/role/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { yielding } from "../../util/yield.ts";
import { planRules } from "./plan.ts";

/** Fills in the rules of aggregated ClusterRoles (upstream `clusterroleaggregation`). */
export function clusterRoleAggregationController(): Controller {
  return controller({
    name: "clusterrole-aggregation-controller",
    for: clusterRoles,
    watches: [
      {
        kind: clusterRoles,
        // Any role may match any aggregated role's selectors. A cluster has few roles, and few of them
        // aggregate.
        map: (_, cache) =>
          cache
            .list(clusterRoles)
            .filter(({ aggregationRule }) => aggregationRule !== undefined)
            .map(({ metadata }) => metadata.name ?? ""),
      },
    ],
    async reconcile({ name, cache, client }) {
      const role = cache.get(clusterRoles, undefined, name);
      const rules =
        role === undefined ? undefined : await yielding(planRules(role, cache.list(clusterRoles)));
      if (rules !== undefined) {
        await client.of(clusterRoles).apply({ metadata: { name }, rules }, { force: true });
      }
    },
  });
}
