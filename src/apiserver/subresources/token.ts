import { tokenRequests, type TokenRequest } from "../../api/authentication/v1.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { type FieldError, invalid, root } from "../../meta/field-error.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { type KubeObject, parseGroupVersion } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { formatTime } from "../../util/clock.ts";
import { validate } from "../admission/plugin.ts";
import { issuer } from "../authn/service-account-tokens.ts";
import type { BoundReference } from "../authn/token-claims.ts";
import type { Context } from "../context.ts";
import { decodeBody, readBody } from "../rest/body.ts";
import { getPlain } from "../registry/read.ts";
import { value } from "../rest/respond.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { Target } from "../resources/target.ts";
import { attributesOf } from "../registry/write.ts";

const minSeconds = 600;
const maxSeconds = 2 ** 32;
const defaultSeconds = 3600;

/**
 * `serviceaccounts/token`: issues a token of the account, optionally bound to an object (registry
 * `serviceaccount/storage/token.go`).
 */
export async function createToken(context: Context, target: Target): Promise<ApiResponse> {
  const { services } = context;
  const body = await readBody(context, tokenRequests);
  const draft = decodeBody(tokenRequests, body, context);
  const account = getPlain(context, target.resource.kind, target.namespace, target.name);
  const { clock } = services.env;
  completeMetadata(draft, account, formatTime(clock.now()));
  const { expirationSeconds = defaultSeconds, boundObjectRef } = draft.spec;
  const audiences = draft.spec.audiences.length === 0 ? [issuer] : draft.spec.audiences;
  checkExpiration(expirationSeconds);
  await validate(context, attributesOf(context, "CREATE", target, draft, undefined, { dryRun: false }));
  const bound = boundObjectRef === undefined ? undefined : boundObject(context, target, boundObjectRef);
  const { token, expiresAt } = await services.tokens.issue({
    namespace: target.namespace,
    serviceAccount: reference(account),
    audiences,
    expirationSeconds,
    ...(bound === undefined ? {} : { boundTo: { ...reference(bound.object), kind: bound.kind } }),
    ...nodeOf(context, bound?.nodeName),
  });
  const status = { token, expirationTimestamp: formatTime(expiresAt) };
  return value({ ...draft, spec: { ...draft.spec, audiences }, status }, 201);
}

/** Checks that the account in the request, if any, is this one, and completes the metadata. */
function completeMetadata({ metadata }: DraftObject, account: KubeObject, now: string): void {
  const { name = "", namespace, uid } = account.metadata;
  const issues = [...mismatches(metadata, account)];
  if (issues.length > 0) throw errors.invalid(tokenRequests, name, issues);
  if (metadata.uid !== undefined && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw errors.conflict({ group: tokenRequests.group, resource: tokenRequests.kind }, name, why);
  }
  Object.assign(metadata, { name, namespace, uid, creationTimestamp: now });
}

function* mismatches(metadata: DraftObject["metadata"], account: KubeObject): Generator<FieldError> {
  for (const part of ["name", "namespace"] as const) {
    const given = metadata[part];
    if (given === undefined || given === account.metadata[part]) continue;
    yield invalid(root.child("metadata", part), given, `must match the service account ${part} if specified`);
    return;
  }
}

function checkExpiration(seconds: number): void {
  const path = root.child("spec", "expirationSeconds");
  const problem =
    seconds < minSeconds
      ? "may not specify a duration less than 10 minutes"
      : seconds > maxSeconds
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined;
  if (problem !== undefined) throw errors.invalid(tokenRequests, "", [invalid(path, seconds, problem)]);
}

type BoundKind = "Pod" | "Secret" | "Node";

interface Bound {
  readonly kind: BoundKind;
  readonly object: KubeObject;
  /** The node of a Pod. */
  readonly nodeName?: string | undefined;
}

type Reference = NonNullable<TokenRequest["spec"]["boundObjectRef"]>;

function boundObject(
  context: Context,
  target: Target,
  { apiVersion = "", kind = "", name = "", uid }: Reference,
): Bound {
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: "", version: apiVersion };
  const bound = group === "" ? readBound(context, target, kind, name) : undefined;
  if (bound === undefined)
    throw errors.badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const { object } = bound;
  if (uid !== undefined && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw errors.conflict({ group, resource: kind }, name, why);
  }
  return bound;
}

/** Returns undefined for a kind to which no token can be bound. */
function readBound(context: Context, account: Target, kind: string, name: string): Bound | undefined {
  const { namespace } = account;
  switch (kind) {
    case "Pod": {
      const pod = getPlain(context, pods, namespace, name);
      const { nodeName, serviceAccountName } = pod.spec;
      if (serviceAccountName === account.name) return { kind, object: pod, nodeName };
      throw errors.badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`,
      );
    }
    case "Secret":
      return { kind, object: getPlain(context, secrets, namespace, name) };
    case "Node":
      return { kind, object: getPlain(context, nodes, "", name) };
    default:
      return undefined;
  }
}

/** Returns the node of a Pod's token, which is the Pod's node. */
function nodeOf({ services }: Context, nodeName: string | undefined): { readonly node?: BoundReference } {
  if (nodeName === undefined) return {};
  const entry = services.store.read(services.resources.of(nodes).key("", nodeName));
  return { node: entry === undefined ? { name: nodeName } : reference(services.codec.decode(entry)) };
}

function reference({ metadata: { name = "", uid = "" } }: KubeObject): { name: string; uid: string } {
  return { name, uid };
}
