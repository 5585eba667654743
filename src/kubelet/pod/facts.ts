import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodFacts } from "../runtime.ts";

/** Returns the properties by which a simulated runtime tells Pods apart. */
export function podFacts({ metadata: { namespace = "", labels = {}, annotations = {} } }: Pod): PodFacts {
  return { namespace, labels, annotations };
}
