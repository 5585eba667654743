import { draftOfObject } from "../resources/draft.ts";
import { namespaces } from "../../api/core/namespace/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { draftOf } from "../../meta/schema.ts";
import type { Context } from "../context.ts";
import { decodeBody, readBody } from "../rest/body.ts";
import { dryRun, fieldManager } from "../rest/options.ts";
import { respondObject } from "../rest/respond.ts";
import type { Target } from "../resources/target.ts";
import { nameMismatch, updateOf } from "../registry/write.ts";

/**
 * The only way to change a Namespace's `spec.finalizers`. Removing the last one deletes a terminating
 * Namespace.
 */
export async function finalizeNamespace(context: Context, target: Target): Promise<ApiResponse> {
  const body = await readBody(context, namespaces);
  const wanted = decodeBody(namespaces, body, context);
  const { name } = wanted.metadata;
  if (name !== undefined && name !== target.name) throw nameMismatch(name, target);
  const written = await updateOf(
    context,
    namespaces,
    target,
    (old) => {
      const draft = draftOfObject(old);
      const { resourceVersion } = wanted.metadata;
      if (resourceVersion !== undefined) draft.metadata.resourceVersion = resourceVersion;
      draft.spec = draftOf(wanted.spec);
      return draft;
    },
    { dryRun: dryRun(context), fieldManager: fieldManager(context) },
  );
  return respondObject(context, target.resource, written);
}
