import type { UserInfo } from "../meta/exchange.ts";

const controllerManager: UserInfo = { name: "system:kube-controller-manager", groups: [] };

/** Who the built-in components are. Their permissions are the bootstrap policy's: no more than each needs. */
export const identities = {
  /** Makes the cluster's first objects; used at start only. */
  bootstrap: { name: "system:apiserver", groups: ["system:masters"] },
  controllerManager,
  scheduler: { name: "system:kube-scheduler", groups: [] },
  proxy: { name: "system:kube-proxy", groups: [] },
  dns: serviceAccount("kube-system", "coredns"),
  node: (name: string): UserInfo => ({ name: `system:node:${name}`, groups: ["system:nodes"] }),
  /** Each controller acts under a ServiceAccount of its own, but the one that ServiceAccounts' tokens come from. */
  controller: (name: string): UserInfo =>
    name === "tokens-controller" ? controllerManager : serviceAccount("kube-system", name),
} as const;

function serviceAccount(namespace: string, name: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}
