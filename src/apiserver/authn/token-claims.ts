import { timingSafeEqual } from "node:crypto";
import type { JWTPayload } from "jose";
import { nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { legacyTokenLabels } from "../../api/core/secret/legacy-token.ts";
import { type Secret, secrets } from "../../api/core/secret/schema.ts";
import { type ServiceAccount, serviceAccounts } from "../../api/core/service-account/schema.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import type { Store } from "../../store/store.ts";
import type { Env } from "../../util/env.ts";
import { isObject } from "../../util/is-object.ts";
import type { Codec } from "../resources/codec.ts";

export interface BoundReference {
  readonly name: string;
  /** Absent for the Node of a Pod's token when the Pod had none. */
  readonly uid?: string;
}

/** A token's claims beyond JWT's own (upstream `serviceaccount/claims.go`). */
export interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: BoundReference;
  readonly pod?: BoundReference;
  readonly secret?: BoundReference;
  readonly node?: BoundReference;
}

/** The claims of tokens in Secrets (upstream `serviceaccount/legacy.go`). */
const legacy = {
  namespace: "kubernetes.io/serviceaccount/namespace",
  account: "kubernetes.io/serviceaccount/service-account.name",
  uid: "kubernetes.io/serviceaccount/service-account.uid",
  secret: "kubernetes.io/serviceaccount/secret.name",
} as const;

/**
 * The tolerated clock difference, and the time for which a token outlives the deletion of its bound object:
 * hooks and leader election of a terminating Pod still need it.
 */
export const leewayMs = 60_000;

/** The parts of the server that issue and verify tokens. */
export interface Reads {
  readonly env: Env;
  readonly store: Store;
  readonly codec: Codec;
}

export function legacyClaims(
  namespace: string,
  account: Required<BoundReference>,
  secretName: string,
): Record<string, string> {
  return {
    [legacy.namespace]: namespace,
    [legacy.account]: account.name,
    [legacy.uid]: account.uid,
    [legacy.secret]: secretName,
  };
}

/**
 * Returns the user of a token that is bound to a ServiceAccount, and possibly to a Pod, Secret or Node.
 * @throws StatusError 401 unless these objects still exist with the token's UIDs.
 */
export function boundUser(services: Reads, payload: JWTPayload): UserInfo {
  const claims: unknown = payload["kubernetes.io"];
  // The key may sign other tokens than the server's own.
  if (!areClaims(claims)) throw errors.unauthorized();
  const { namespace, serviceaccount, pod, secret, node } = claims;
  mustExist(services, serviceAccounts, namespace, serviceaccount);
  if (secret !== undefined) mustExist(services, secrets, namespace, secret);
  if (pod !== undefined) mustExist(services, pods, namespace, pod);
  // A Pod's token ends with the Pod; its Node claim is only informative.
  else if (node !== undefined) mustExist(services, nodes, "", node);
  const prefix = "authentication.kubernetes.io";
  const extra: Record<string, readonly string[]> = {
    [`${prefix}/credential-id`]: [`JTI=${payload.jti ?? ""}`],
  };
  for (const [kind, reference] of Object.entries({ pod, node })) {
    if (reference === undefined) continue;
    extra[`${prefix}/${kind}-name`] = [reference.name];
    if (reference.uid !== undefined) extra[`${prefix}/${kind}-uid`] = [reference.uid];
  }
  return { ...accountUser(namespace, serviceaccount), extra };
}

function areClaims(value: unknown): value is KubernetesClaims {
  if (!isObject(value)) return false;
  const { namespace, serviceaccount, pod, secret, node } = value;
  const bound = [pod, secret, node].filter((one) => one !== undefined);
  return typeof namespace === "string" && [serviceaccount, ...bound].every(isReference);
}

function isReference(value: unknown): value is BoundReference {
  if (!isObject(value)) return false;
  const { name, uid } = value;
  return typeof name === "string" && (uid === undefined || typeof uid === "string");
}

function mustExist(services: Reads, kind: Kind, namespace: string, { name, uid }: BoundReference): void {
  const object = read(services, kind, namespace, name);
  const { deletionTimestamp } = object?.metadata ?? {};
  const isGone =
    deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < services.env.clock.now() - leewayMs;
  if (object === undefined || object.metadata.uid !== uid || isGone) throw errors.unauthorized();
}

/** A use of a token in a Secret. */
export interface LegacyUse {
  readonly user: UserInfo;
  readonly secret: Secret;
  /** True for a token that was not used for long. It is refused, but the use is recorded. */
  readonly isInvalidated: boolean;
  /** True if the account lists the Secret, as earlier versions of Kubernetes did with those that they generated. */
  readonly isGenerated: boolean;
}

/**
 * Reads a token in a Secret of type `kubernetes.io/service-account-token`, which has no expiry.
 * @throws StatusError 401 unless the Secret still holds the token, for an account with the token's UID.
 */
export function legacyUse(services: Reads, payload: JWTPayload, token: string): LegacyUse {
  const claim = (name: string) => {
    const value = payload[name];
    if (typeof value !== "string" || value === "") throw errors.unauthorized();
    return value;
  };
  const [namespace, name, uid] = [claim(legacy.namespace), claim(legacy.account), claim(legacy.uid)];
  const secret: Secret | undefined = read(services, secrets, namespace, claim(legacy.secret));
  const account: ServiceAccount | undefined = read(services, serviceAccounts, namespace, name);
  const isHeld =
    secret?.metadata.deletionTimestamp === undefined &&
    isSame(Buffer.from(secret?.data?.["token"] ?? "", "base64"), Buffer.from(token)) &&
    account?.metadata.uid === uid &&
    account.metadata.deletionTimestamp === undefined;
  if (secret === undefined || !isHeld || payload.sub !== userName(namespace, name)) {
    throw errors.unauthorized();
  }
  return {
    user: accountUser(namespace, { name, uid }),
    secret,
    isInvalidated: (secret.metadata.labels?.[legacyTokenLabels.invalidSince] ?? "") !== "",
    isGenerated: account.secrets?.some((one) => one.name === secret.metadata.name) === true,
  };
}

/** Compares in constant time, so that a token cannot be guessed byte by byte. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

export function read(
  { store, codec }: Reads,
  kind: Kind,
  namespace: string,
  name: string,
): KubeObject | undefined {
  const place = kind.namespaced ? `${namespace}/${name}` : name;
  const entry = store.read(`/registry/${groupResource(kind)}/${place}`);
  return entry === undefined ? undefined : codec.decode(entry);
}

function accountUser(namespace: string, { name, uid }: BoundReference): UserInfo {
  return {
    name: userName(namespace, name),
    ...(uid === undefined ? {} : { uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}

export function userName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
