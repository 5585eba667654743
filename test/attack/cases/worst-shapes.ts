import type { Attack } from "../attack.ts";
import { type Sample, samples } from "../shapes/samples.ts";
import { type Shape, shapesOf } from "../shapes/shapes.ts";

/** Shapes that once took minutes; they run in every test, and `npm run attack` runs all shapes. */
const everyTime = new Set([
  "Binding metadata.ownerReferences: all of keys",
  "Binding metadata.finalizers: all of rubbish",
  "Pod spec.containers: all of keys",
  "Pod spec.containers[].ports: all of keys",
  "Pod spec.volumes[].secret.items: all of everything",
  "Secret stringData: all of everything",
  "ClusterRole aggregationRule.clusterRoleSelectors: all of keys",
  'MutatingWebhookConfiguration webhooks[].clientConfig.service.namespace and 2 beside it: "/"',
]);

/** Bodies with each list, map and string of each kind's schema at its largest. */
export const worstShapes: readonly Attack[] = [...everyShape()];

function* everyShape(): Generator<Attack> {
  const seen = new Set<string>();
  for (const sample of samples()) {
    for (const shape of shapesOf(sample.kind.schema, sample.object, seen)) yield attackOf(sample, shape);
  }
}

function attackOf({ kind, object, collection }: Sample, { name, make }: Shape): Attack {
  const metadata = "metadata" in object ? (object.metadata as { readonly name?: string }) : {};
  const title = `${kind.kind} ${name}`;
  return {
    name: title,
    ...(!everyTime.has(title) && { slow: true }),
    async run({ send }) {
      const body = JSON.stringify(make());
      await send("admin", "POST", collection, { body });
      // Stored objects are read, written and deleted too.
      const url = `${collection}/${metadata.name ?? ""}`;
      if (!kind.verbs.includes("delete")) return;
      await send("admin", "PATCH", url, { headers: mergePatch, body: '{"metadata":{"labels":{"a":"b"}}}' });
      await send("admin", "DELETE", url, { body: '{"gracePeriodSeconds":0}' });
    },
  };
}

const mergePatch = { "content-type": "application/merge-patch+json" };
