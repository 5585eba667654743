import { tokensController } from "../controllers/service-account-token/controller.ts";
import type { UserInfo } from "../meta/exchange.ts";

const controllerManager: UserInfo = { name: "system:kube-controller-manager", groups: [] };

/** The identities of the built-in components. The bootstrap policy grants each its minimal permissions. */
export const identities = {
  /** Creates the cluster's first objects; used only at the start. */
  bootstrap: { name: "system:apiserver", groups: ["system:masters"] },
  controllerManager,
  scheduler: { name: "system:kube-scheduler", groups: [] },
  proxy: { name: "system:kube-proxy", groups: [] },
  networkPolicy: serviceAccount("kube-system", "network-policy-controller"),
  ingress: serviceAccount("kube-system", "ingress-controller"),
  dns: serviceAccount("kube-system", "coredns"),
  node: (name: string): UserInfo => ({ name: `system:node:${name}`, groups: ["system:nodes"] }),
  /** Each controller has a ServiceAccount of its own, except the one that signs ServiceAccounts' tokens. */
  controller: (name: string): UserInfo =>
    name === tokensController ? controllerManager : serviceAccount("kube-system", name),
} as const;

function serviceAccount(namespace: string, name: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}
