import type { Taint } from "../api/core/v1/scheduling.ts";
import { listOf, UsageError } from "../cli/flags.ts";

/** Labels with Kubernetes' domains that a kubelet may set (upstream `kubelet/apis` `IsKubeletLabel`). */
const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "node.kubernetes.io/windows-build",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const kubeletNamespaces = ["kubelet.kubernetes.io", "node.kubernetes.io"];

/** Parses `--node-labels`. @throws UsageError */
export function nodeLabelsOf(text: string): Readonly<Record<string, string>> {
  const labels = listOf(text).map((one): [string, string] => {
    const at = one.indexOf("=");
    if (at <= 0) throw new UsageError(`--node-labels: malformed pair, expect string=string: ${one}`);
    return [one.slice(0, at), one.slice(at + 1)];
  });
  const unknown = labels.map(([name]) => name).filter((name) => isReserved(name) && !isKubeletLabel(name));
  if (unknown.length > 0)
    throw new UsageError(
      `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.join(" ")}]`,
    );
  return Object.fromEntries(labels);
}

function namespaceOf(name: string): string {
  return name.includes("/") ? name.slice(0, name.indexOf("/")) : "";
}

function isReserved(name: string): boolean {
  const namespace = namespaceOf(name);
  return ["kubernetes.io", "k8s.io"].some((one) => namespace === one || namespace.endsWith(`.${one}`));
}

function isKubeletLabel(name: string): boolean {
  const namespace = namespaceOf(name);
  return (
    kubeletLabels.has(name) ||
    kubeletNamespaces.some((one) => namespace === one || namespace.endsWith(`.${one}`))
  );
}

/** Parses `--register-with-taints`: `key=value:effect`, `key:effect`. @throws UsageError */
export function taintsOf(text: string): readonly Taint[] {
  return listOf(text).map((one) => {
    const [, key = "", value, effect = ""] = /^([^=:]+)(?:=([^:]*))?:([A-Za-z]+)$/.exec(one) ?? [];
    if (effect !== "NoSchedule" && effect !== "NoExecute" && effect !== "PreferNoSchedule")
      throw new UsageError(`--register-with-taints: invalid taint spec: ${one}`);
    return { key, effect, ...(value !== undefined && value !== "" && { value }) };
  });
}

/** Returns the name of the node: that of the flag, or the machine's, as upstream has them. @throws UsageError */
export function nodeNameOf(override: string | undefined, hostname: string): string {
  const name = (override ?? hostname).trim().toLowerCase();
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) return name;
  throw new UsageError(`Cannot name the node ${JSON.stringify(name)}: give --hostname-override`);
}
