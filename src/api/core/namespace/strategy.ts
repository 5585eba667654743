import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { labelProblems } from "../../../meta/validation/dns.ts";
import { defaultNamespace } from "./defaults.ts";
import { namespaceColumns } from "./printer.ts";
import type { Namespace } from "./schema.ts";
import { validateNamespace, validateNamespaceStatus } from "./validation.ts";

/** The finalizer of the namespace controller, which deletes the namespace's objects first. */
const kubernetes = "kubernetes";

export const namespaceStrategy: Strategy<Namespace> = {
  setDefaults: defaultNamespace,
  prepareForCreate(draft) {
    // A generated name is not known when defaults are set.
    defaultNamespace(draft);
    draft.status = { phase: "Active" };
    const finalizers = draft.spec.finalizers ?? [];
    if (!finalizers.includes(kubernetes)) draft.spec.finalizers = [...finalizers, kubernetes];
  },
  prepareForUpdate,
  prepareForDelete(draft) {
    draft.status.phase = "Terminating";
  },
  blocksDeletion: ({ spec }) => (spec.finalizers ?? []).length > 0,
  validateName: labelProblems,
  validate: validateNamespace,
  parts: { status: { validate: validateNamespaceStatus } },
  returnDeletedObject: true,
  columns: namespaceColumns,
  selectableFields: {
    "status.phase": ({ status }) => status.phase ?? "",
    name: ({ metadata }) => metadata.name ?? "",
  },
};

/** Restores the finalizers unless the endpoint is `finalize`. */
function prepareForUpdate(draft: Draft<Namespace>, old: Namespace, { subresource }: StrategyContext): void {
  if (subresource === "finalize") return;
  if (old.spec.finalizers === undefined) delete draft.spec.finalizers;
  else draft.spec.finalizers = [...old.spec.finalizers];
}
