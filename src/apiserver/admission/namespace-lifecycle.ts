import { namespaces } from "../../api/core/namespace/schema.ts";
import { errors, failure } from "../../meta/status.ts";
import type { AdmissionPlugin, Attributes } from "./plugin.ts";

/** Namespaces with objects that the cluster itself needs. */
const immortal = new Set(["default", "kube-system", "kube-public"]);

/** Refuses creates in a namespace that is missing or terminating (plugin `namespace/lifecycle`). */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  validate({ operation, resource, name }) {
    if (operation === "DELETE" && resource.kind === namespaces && immortal.has(name)) {
      throw errors.forbidden(resource.name, name, "this namespace may not be deleted");
    }
  },
  mutate({ operation, resource, namespace, subresource, object }, { reader }) {
    if (operation !== "CREATE" || !resource.kind.namespaced || subresource !== "") return;
    const found = reader.get(namespaces, "", namespace);
    if (found === undefined) throw errors.notFound({ group: "", resource: namespaces.plural }, namespace);
    if (found.status.phase === "Terminating")
      throw terminating(resource.name, object?.metadata.name ?? "", namespace);
  },
};

function terminating(resource: Attributes["resource"]["name"], name: string, namespace: string) {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { message = "", details } = errors.forbidden(resource, name, why).status;
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return failure(403, "Forbidden", message, { ...details, causes: [cause] });
}
