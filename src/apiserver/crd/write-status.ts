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
  /** Left as they are when absent. */
  readonly finalizers?: readonly string[];
}

/** Writes a definition's status in the server's own name. `change` may run again. @throws StatusError 404 when it is gone */
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
