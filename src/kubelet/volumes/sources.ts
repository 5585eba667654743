import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { configMaps } from "../../api/core/config-map/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from "../../api/core/volume/projection.ts";
import { type TokenRequest, tokenRequests } from "../../api/authentication/v1.ts";
import { hasReason } from "../../meta/status.ts";
import type { NodeContext } from "../node-context.ts";
import { podField, resourceField } from "../pod/downward.ts";
import { RuntimeError } from "../runtime.ts";
import type { VolumeFile } from "./atomic-writer.ts";
import { fsUserOf } from "./owners.ts";

/** The node and Pod of a volume source. */
export interface SourceContext {
  readonly node: NodeContext;
  readonly pod: Pod;
  /** Fires when the Pod no longer needs its volumes. */
  readonly signal?: AbortSignal | undefined;
}

interface Selection {
  readonly items?: SecretVolumeSource["items"];
  readonly optional?: boolean;
}

const defaultMode = 0o644;

export async function configMapFiles(
  { node, pod }: SourceContext,
  source: ConfigMapVolumeSource | (Selection & { readonly name?: string }),
  mode = defaultMode,
): Promise<VolumeFile[]> {
  const { name = "", optional = false } = source;
  const found = await orMissing("configmap", name, optional, () =>
    node.client.of(configMaps, pod.metadata.namespace).get(name),
  );
  const contents = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(found?.data ?? {})) contents.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(found?.binaryData ?? {}))
    contents.set(key, Buffer.from(base64, "base64"));
  return choose(contents, source, mode, `configmap references non-existent config key`);
}

export async function secretFiles(
  { node, pod }: SourceContext,
  source: Selection & { readonly secretName?: string; readonly name?: string },
  mode = defaultMode,
): Promise<VolumeFile[]> {
  const { secretName, name = secretName ?? "", optional = false } = source;
  const found = await orMissing("secret", name, optional, () =>
    node.client.of(secrets, pod.metadata.namespace).get(name),
  );
  const data = Object.entries(found?.data ?? {}).map(
    ([key, base64]) => [key, Buffer.from(base64, "base64")] as const,
  );
  return choose(new Map(data), source, mode, `references non-existent secret key`);
}

function choose(
  contents: ReadonlyMap<string, Uint8Array>,
  { items = [], optional = false }: Selection,
  mode: number,
  complaint: string,
): VolumeFile[] {
  if (items.length === 0) return [...contents].map(([path, content]) => ({ path, content, mode }));
  return items.flatMap((item) => {
    const content = contents.get(item.key);
    if (content !== undefined) return [{ path: item.path, content, mode: item.mode ?? mode }];
    if (optional) return [];
    throw new RuntimeError("CreateContainerConfigError", `${complaint}: ${item.key}`);
  });
}

export function downwardFiles(
  { node, pod }: SourceContext,
  { items = [] }: Pick<DownwardAPIVolumeSource, "items">,
  mode = defaultMode,
): VolumeFile[] {
  const facts = {
    hostIPs: node.addresses.hostIPs,
    podIPs: (pod.status.podIPs ?? []).map(({ ip }) => ip),
    allocatable: node.allocatable,
  };
  return items.map(({ path, fieldRef, resourceFieldRef, mode: own }) => {
    const text =
      fieldRef === undefined
        ? resourceFieldRef === undefined
          ? ""
          : resourceField(pod, undefined, resourceFieldRef, facts)
        : podField(pod, fieldRef.fieldPath, facts);
    return { path, content: Buffer.from(text), mode: own ?? mode };
  });
}

export async function projectedFiles(
  context: SourceContext,
  { sources, defaultMode: mode }: ProjectedVolumeSource,
): Promise<VolumeFile[]> {
  const files: VolumeFile[] = [];
  for (const source of sources) {
    const { configMap, secret, downwardAPI, serviceAccountToken } = source;
    if (configMap !== undefined) files.push(...(await configMapFiles(context, configMap, mode)));
    if (secret !== undefined) files.push(...(await secretFiles(context, secret, mode)));
    if (downwardAPI !== undefined) files.push(...downwardFiles(context, downwardAPI, mode));
    if (serviceAccountToken !== undefined) {
      const { audience, expirationSeconds, path } = serviceAccountToken;
      const { token } = await requestToken(context, audience, expirationSeconds ?? 3600);
      files.push({ path, content: Buffer.from(token), ...credentialOwner(context, mode) });
    }
    if (source.clusterTrustBundle !== undefined || source.podCertificate !== undefined) {
      const what = source.podCertificate === undefined ? "ClusterTrustBundles" : "Pod certificates";
      const message = `projection of ${what} is not supported in this node`;
      throw new RuntimeError("CreateContainerConfigError", message);
    }
  }
  return files;
}

/**
 * A credential belongs to the containers' one user, if they have one. With an `fsGroup`, the group's bits are
 * added later. Otherwise any user in the containers can read it (upstream `volume/projected`).
 */
function credentialOwner({ pod }: SourceContext, mode = defaultMode): Pick<VolumeFile, "mode" | "user"> {
  const user = fsUserOf(pod);
  const isPrivate = user !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { mode: isPrivate ? 0o600 : mode, user };
}

interface HeldToken {
  readonly token: string;
  readonly expirationTimestamp: string;
  readonly refreshAt: number;
}

/** Tokens by Pod and audience, kept until most of their lifetime has passed. */
const held = new WeakMap<NodeContext, Map<string, HeldToken>>();

/** Requests a token bound to the Pod: it becomes invalid with the Pod. */
export async function requestToken(
  { node, pod }: SourceContext,
  audience: string | undefined,
  expirationSeconds: number,
): Promise<HeldToken> {
  const tokens = held.get(node) ?? new Map<string, HeldToken>();
  held.set(node, tokens);
  const key = `${pod.metadata.uid}/${audience ?? ""}/${expirationSeconds}`;
  const now = node.env.clock.now();
  const known = tokens.get(key);
  if (known !== undefined && now < known.refreshAt) return known;
  const { name = "", uid = "", namespace } = pod.metadata;
  const request = {
    apiVersion: tokenRequests.apiVersion,
    kind: tokenRequests.kind,
    spec: {
      audiences: audience === undefined ? [] : [audience],
      expirationSeconds,
      boundObjectRef: { kind: "Pod", apiVersion: "v1", name, uid },
    },
  };
  const account = pod.spec.serviceAccountName ?? "default";
  const answer = await node.client
    .of(serviceAccounts, namespace)
    .subresource<TokenRequest>(account, "token")
    .create(request);
  const { token, expirationTimestamp } = answer.status;
  const fresh = { token, expirationTimestamp, refreshAt: now + expirationSeconds * 800 };
  tokens.set(key, fresh);
  return fresh;
}

export function forgetTokens(node: NodeContext, uid: string): void {
  const tokens = held.get(node);
  for (const key of tokens?.keys() ?? []) if (key.startsWith(`${uid}/`)) tokens?.delete(key);
}

/** The words are those of the kubelet's own caches. */
async function orMissing<T>(
  what: string,
  name: string,
  optional: boolean,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
    if (optional) return undefined;
    const message = `${what} ${JSON.stringify(name)} not found`;
    throw new RuntimeError("CreateContainerConfigError", message, error);
  }
}
