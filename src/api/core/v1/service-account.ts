import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { boolean, keyed, list, messages, optional, pointer } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { LocalObjectReference, ObjectReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const ServiceAccount = message("ServiceAccount", "A service account.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  secrets: optional(2, keyed(ObjectReference, "name"), "The secrets.", { merge: "name" }),
  imagePullSecrets: optional(3, list(LocalObjectReference), "The image pull secrets."),
  automountServiceAccountToken: pointer(4, boolean, "The automount service account token."),
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
