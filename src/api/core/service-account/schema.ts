import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { boolean, keyed, list, messages, optional, pointer } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { LocalObjectReference, ObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const ServiceAccount = message("ServiceAccount", "An identity for the processes in Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  secrets: optional(2, keyed(ObjectReference, "name"), "Secrets that Pods of this account may use.", {
    merge: "name",
  }),
  imagePullSecrets: optional(3, list(LocalObjectReference), "Secrets for pulling the Pods' images."),
  automountServiceAccountToken: pointer(4, boolean, "Whether the token is mounted into Pods."),
});

export const serviceAccounts = defineKind(ServiceAccount, {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
  shortNames: ["sa"],
  subresources: {
    token: {
      kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
      verbs: ["create"],
    },
  },
});
export type ServiceAccount = ObjectOf<typeof serviceAccounts>;
