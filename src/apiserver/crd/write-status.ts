import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import type { DraftObject } from "../resources/draft.ts";
import { internalScope } from "../registry/scope.ts";
import { update } from "../registry/write.ts";
import type { Services } from "../services.ts";

type Definition = CustomResourceDefinition;

interface Change {
  readonly status: Definition["status"];
  /** Unchanged when absent. */
  readonly finalizers?: readonly string[];
}

/**
 * Writes a definition's status as the server. `change` may run again after a conflict. @throws StatusError
 * 404 when the definition is gone
 */
export async function writeStatus(
  services: Services,
  name: string,
  change: (old: Definition) => Change,
): Promise<Definition> {
  const resource = services.resources.of(customResourceDefinitions);
  const written = await update(
    internalScope(services),
    { resource, namespace: "", name, subresource: "status" },
    (old) => {
      const { status, finalizers } = change(old as Definition);
      const metadata = { ...old.metadata, ...(finalizers === undefined ? {} : { finalizers }) };
      return { ...old, metadata, status } as unknown as DraftObject;
    },
    { dryRun: false, fieldManager: "kube-apiserver" },
  );
  return written.object as Definition;
}
