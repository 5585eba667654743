import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { draftOf } from "../../meta/schema.ts";
import { internalScope } from "../registry/scope.ts";
import { updateOf } from "../registry/write.ts";
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
  const written = await updateOf(
    internalScope(services),
    customResourceDefinitions,
    { namespace: "", name, subresource: "status" },
    (old) => {
      const { status, finalizers } = change(old);
      const metadata = draftOf({ ...old.metadata, ...(finalizers === undefined ? {} : { finalizers }) });
      return { ...old, metadata, status };
    },
    { dryRun: false, fieldManager: "kube-apiserver" },
  );
  return written.object;
}
