import type { DiscoveredResource, Discovery } from "../client/discovery.ts";
import type { Reconcile } from "../operator/controller.ts";

/** Discovery is repeated after this time, as upstream resets its RESTMapper. */
const discoveryMs = 30_000;

/** Finds the resources of kinds that are known only at run time, such as those of custom resources. */
export class KindFinder {
  #discovery: Discovery | undefined;
  #discoveredAt = 0;

  /**
   * Returns the resources of a kind, the preferred version first; those of one version when it is given. Before a kind
   * counts as unknown, discovery is repeated.
   */
  async find(
    { group, version, kind }: { readonly group: string; readonly version?: string; readonly kind: string },
    { client, env, signal }: Pick<Reconcile, "client" | "env" | "signal">,
  ): Promise<readonly DiscoveredResource[]> {
    const matching = ({ resources }: Discovery) =>
      resources.filter(
        (one) =>
          one.kind === kind && one.group === group && (version === undefined || one.version === version),
      );
    const now = env.clock.monotonic();
    const isFresh = this.#discovery !== undefined && now - this.#discoveredAt < discoveryMs;
    const remembered = isFresh && this.#discovery !== undefined ? matching(this.#discovery) : [];
    if (remembered.length > 0) return remembered;
    this.#discovery = await client.discovery({ signal });
    this.#discoveredAt = now;
    return matching(this.#discovery);
  }
}
