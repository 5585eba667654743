import { atOnce } from "../../../util/steps.ts";
import type { Host } from "../../host.ts";
import type { Rules } from "../node-state.ts";
import { planPolicy } from "../plan.ts";
import { LoadedRules } from "./loaded-rules.ts";

/**
 * Returns the reason why this machine cannot enforce policies; undefined when it can. Changes nothing.
 */
export async function policyObstacle(host: Pick<Host, "run" | "sysctl">): Promise<string | undefined> {
  if (host.sysctl("net/bridge/bridge-nf-call-iptables") === undefined)
    return "packets between Pods pass no rules without the kernel module br_netfilter";
  try {
    const script = atOnce(new LoadedRules({ bridge: "knarr-check", linkPrefix: "kn" }).replace(sample));
    await host.run("nft", ["--check", "-f", "-"], script);
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error).split("\n")[0];
  }
}

/** One of each kind of rule, because kernels and versions of nft support different ones. */
const rule = {
  ports: [{ protocol: "TCP", port: 1, endPort: 2 }, { protocol: "SCTP", port: "a" }, { protocol: "UDP" }],
  peers: [{ podSelector: {} }, { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
} as const;
const policy = planPolicy({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { namespace: "default", name: "check" },
  spec: {
    podSelector: {},
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ ports: [...rule.ports], from: [...rule.peers] }],
    egress: [{ ports: [...rule.ports], to: [...rule.peers] }],
  },
});
const address = "10.244.0.2";
const sample: Rules = {
  active: true,
  pod: () => ({ address, ingress: [policy.key], egress: [policy.key] }),
  addresses: [address],
  policies: new Map([[policy.key, policy]]),
  set: (name) => new Map([[name.startsWith("peers/") ? address : `${address} . 80`, 1]]),
  setNames: policy.sets,
};
