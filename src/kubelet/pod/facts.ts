import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodFacts } from "../runtime.ts";

export function podFacts({ metadata: { namespace = "", labels = {}, annotations = {} } }: Pod): PodFacts {
  return { namespace, labels, annotations };
}
