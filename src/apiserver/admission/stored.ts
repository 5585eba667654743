import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Services } from "../services.ts";

/** The stored object that admission looks up; undefined where there is none. Empty namespace: cluster-scoped. */
export function stored(
  { store, codec, resources }: Pick<Services, "store" | "codec" | "resources">,
  kind: Kind,
  namespace: string,
  name: string,
): KubeObject | undefined {
  const entry = store.read(resources.of(kind).key(namespace, name));
  return entry === undefined ? undefined : codec.decode(entry);
}
