import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { nameSuffix } from "../../util/random.ts";
import { secretNames } from "../../api/core/pod/references.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

/** The path of the token, the CA certificate and the namespace in containers. */
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Upstream's value: a little over an hour, so that a late refresh does no harm. */
const expirationSeconds = 3607;
const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Gives each Pod a ServiceAccount and, unless disabled, the account's token (plugin `serviceaccount`). */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  mutate(attributes, { reader, env }) {
    const { operation, resource, namespace, name } = attributes;
    const pod = about(pods, attributes)?.object;
    if (operation !== "CREATE" || pod === undefined) return;
    if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) {
      const why = mirrorProblem(pod.spec);
      if (why !== undefined) throw errors.forbidden(resource.name, name, why);
      return;
    }
    const accountName = pod.spec.serviceAccountName ?? "default";
    pod.spec.serviceAccountName = accountName;
    pod.spec.serviceAccount = accountName;
    const account = reader.get(serviceAccounts, namespace, accountName);
    if (account === undefined) {
      const why = `error looking up service account ${namespace}/${accountName}: serviceaccount ${JSON.stringify(accountName)} not found`;
      throw errors.forbidden(resource.name, name, why);
    }
    if ((pod.spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets !== undefined) {
      pod.spec.imagePullSecrets = account.imagePullSecrets.map((one) => ({ ...one }));
    }
    const mounts = pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    if (mounts) mountToken(pod, `kube-api-access-${nameSuffix(env.random)}`);
  },
};

/** A mirror Pod only shows a static Pod of a node: it must not give access to ServiceAccounts and Secrets. */
function mirrorProblem(spec: Pod["spec"]): string | undefined {
  if (spec.serviceAccountName !== undefined) return "a mirror pod may not reference service accounts";
  if (!secretNames(spec).next().done) return "a mirror pod may not reference secrets";
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)
    ? "a mirror pod may not use ServiceAccountToken volume projections"
    : undefined;
}

function mountToken(pod: Draft<Pod>, fallbackName: string): void {
  const volumes = (pod.spec.volumes ??= []);
  const present = volumes.find(({ name }) => name.startsWith("kube-api-access-"));
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const lacking = containers.filter(
    ({ volumeMounts = [] }) => !volumeMounts.some((one) => one.mountPath === mountPath),
  );
  if (lacking.length === 0) return;
  const name = present?.name ?? fallbackName;
  for (const container of lacking) (container.volumeMounts ??= []).push({ name, mountPath, readOnly: true });
  if (present === undefined) volumes.push(tokenVolume(name));
}

function tokenVolume(name: string): Draft<NonNullable<Pod["spec"]["volumes"]>[number]> {
  const namespace = { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [namespace] } },
      ],
      defaultMode: 0o644,
    },
  };
}
