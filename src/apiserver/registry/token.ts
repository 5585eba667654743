import { tokenRequests, type TokenRequest } from "../../api/authentication/v1.ts";
import { type Pod, pods } from "../../api/core/v1/pod.ts";
import { nodes } from "../../api/core/v1/node.ts";
import { secrets } from "../../api/core/v1/secret.ts";
import { invalid, root } from "../../meta/field-error.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { formatTime } from "../../util/clock.ts";
import { validate } from "../admission/plugin.ts";
import type { Context } from "../context.ts";
import { decodeBody, readBody } from "./body.ts";
import { getPlain } from "./read.ts";
import { value } from "./respond.ts";
import type { DraftObject } from "./metadata.ts";
import { attributesOf, type Target } from "./write.ts";

const minSeconds = 600;
const maxSeconds = 2 ** 32;
const defaultSeconds = 3600;

/** `serviceaccounts/token`: a token of the account, bound to a Pod or Secret if so asked. */
export async function createToken(context: Context, target: Target): Promise<ApiResponse> {
  const { services } = context;
  const body = await readBody(context.request, tokenRequests);
  const request = decodeBody(tokenRequests, body, context) as unknown as TokenRequest;
  const account = getPlain(context, target.resource.kind, target.namespace, target.name);
  const { audiences, expirationSeconds = defaultSeconds, boundObjectRef } = request.spec;
  checkExpiration(expirationSeconds);
  const draft = request as unknown as DraftObject;
  await validate(services, attributesOf(context, "CREATE", target, draft, undefined, { dryRun: false }));
  const bound = boundObjectRef === undefined ? undefined : boundObject(context, target, boundObjectRef);
  const { token, expiresAt } = await services.tokens.issue({
    namespace: target.namespace,
    serviceAccount: reference(account),
    audiences,
    expirationSeconds,
    ...(bound === undefined ? {} : { boundTo: { ...reference(bound.object), kind: bound.kind } }),
    ...nodeOf(context, bound?.object),
  });
  return value({ ...request, status: { token, expirationTimestamp: formatTime(expiresAt) } }, 201);
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

const bindable: Readonly<Record<string, Kind>> = { Pod: pods, Secret: secrets, Node: nodes };

type Reference = NonNullable<TokenRequest["spec"]["boundObjectRef"]>;

function boundObject(context: Context, target: Target, { kind = "", name = "", uid }: Reference) {
  const found = bindable[kind];
  if (found === undefined) {
    throw errors.badRequest(`cannot bind token to object of type ${kind}`);
  }
  const object = getPlain(context, found, target.namespace, name);
  if (uid !== undefined && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw errors.conflict({ group: found.group, resource: found.plural }, name, why);
  }
  const account = (object as Partial<Pod>).spec?.serviceAccountName;
  if (kind === "Pod" && account !== target.name) {
    throw errors.badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(target.name)} to pod running with different serviceaccount name.`,
    );
  }
  return { object, kind: kind as "Pod" | "Secret" | "Node" };
}

/** A Pod's token also says on which node the Pod is. */
function nodeOf(
  { services }: Context,
  object: KubeObject | undefined,
): { node?: { name: string; uid: string } } {
  const nodeName = (object as Partial<Pod> | undefined)?.spec?.nodeName;
  if (nodeName === undefined) return {};
  const entry = services.store.read(services.resources.of(nodes).key("", nodeName));
  return entry === undefined ? {} : { node: reference(services.codec.decode(entry)) };
}

function reference({ metadata: { name = "", uid = "" } }: KubeObject): { name: string; uid: string } {
  return { name, uid };
}
