import { selfSubjectReviews, tokenReviews, type TokenReview } from "../../api/authentication/v1.ts";
import {
  type FieldSelectorAttributes,
  localSubjectAccessReviews,
  type SelfSubjectAccessReview,
  selfSubjectAccessReviews,
  type SelfSubjectRulesReview,
  selfSubjectRulesReviews,
  type SubjectAccessReview,
  subjectAccessReviews,
} from "../../api/authorization/v1.ts";
import type { ApiResponse, UserInfo } from "../../meta/exchange.ts";
import type { FieldError } from "../../meta/field-error.ts";
import { FieldSelector, parseFieldSelector } from "../../meta/fields.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import { errors, StatusError } from "../../meta/status.ts";
import type { AccessRequest } from "../authz/authorizer.ts";
import { formatTime } from "../../util/clock.ts";
import { authenticateRequest } from "../authn/authenticate.ts";
import type { Context } from "../context.ts";
import { decodeBody, readBody } from "../rest/body.ts";
import { takeIssues } from "../registry/check.ts";
import { atOnce } from "../../util/steps.ts";
import { settleNamespace } from "../registry/metadata.ts";
import { formOf, notAcceptable, value } from "../rest/respond.ts";
import type { Target } from "../resources/target.ts";

/** Answers a review, which is not stored. */
type Answer = (context: Context, question: unknown) => Promise<object> | object;

const answers: ReadonlyMap<Kind, Answer> = new Map([
  answer(selfSubjectReviews, ({ user }) => ({ userInfo: userOf(user) })),
  answer(tokenReviews, reviewToken),
  answer(selfSubjectAccessReviews, (context, { spec }) => decide(context, context.user, spec)),
  answer(subjectAccessReviews, (context, { spec }) => decide(context, subjectOf(spec), spec)),
  answer(localSubjectAccessReviews, (context, { spec }) => decide(context, subjectOf(spec), spec)),
  answer(selfSubjectRulesReviews, reviewRules),
]);

/** Returns a row of the table: the kind of a review, and the answer to its questions. */
function answer<O extends object, I extends object>(
  kind: Kind<O, I>,
  answerTo: (context: Context, question: KubeObject<O>) => Promise<object> | object,
): readonly [Kind, Answer] {
  // Safe: `review` decodes a question with the schema of the kind for which it looks up the row.
  return [kind, (context, question) => answerTo(context, question as KubeObject<O>)];
}

/** The kinds that `review` answers. */
export const reviewed: readonly Kind[] = [...answers.keys()];

export async function review(context: Context, target: Target): Promise<ApiResponse> {
  const { resource } = target;
  // A review is not shown in other forms.
  if (formOf(context, "object").type !== "object") throw notAcceptable("object");
  const body = await readBody(context, resource.kind);
  const question = decodeBody(resource.kind, body, context);
  if (resource.kind.namespaced) settleNamespace(question.metadata, resource, target.namespace);
  const answerTo = answers.get(resource.kind);
  if (answerTo === undefined) throw errors.noSuchPath();
  const issues: FieldError[] = [];
  const areAll = atOnce(takeIssues(issues, resource.strategy.validate?.(question) ?? []));
  if (issues.length > 0) throw errors.invalid(resource.kind, "", issues, !areAll);
  const status = await answerTo(context, question);
  return value({ ...question, ...whenAsked(context, target), status }, 201);
}

/** Returns the creation time of a SelfSubjectReview, which is the only review that has one. */
function whenAsked({ services }: Context, { resource }: Target): object {
  if (resource.kind !== selfSubjectReviews) return {};
  return { metadata: { creationTimestamp: formatTime(services.env.clock.now()) } };
}

type Attributes = Pick<SelfSubjectAccessReview["spec"], "resourceAttributes" | "nonResourceAttributes">;

function decide({ services }: Context, user: UserInfo, spec: Attributes): object {
  const request = accessRequest(user, spec);
  const { allowed, reason } = services.authorizer.authorize(request);
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function accessRequest(
  user: UserInfo,
  { resourceAttributes, nonResourceAttributes }: Attributes,
): AccessRequest {
  if (nonResourceAttributes !== undefined) {
    const { path = "", verb = "" } = nonResourceAttributes;
    return { user, verb, target: { type: "path", path } };
  }
  const {
    group = "",
    version = "",
    namespace = "",
    resource = "",
    subresource = "",
    name = "",
    verb = "",
  } = resourceAttributes ?? {};
  const target = { type: "resource", group, version, namespace, resource, subresource, name } as const;
  const fields = fieldsOf(resourceAttributes?.fieldSelector);
  return { user, verb, target: fields === undefined ? target : { ...target, fields } };
}

const signs: ReadonlyMap<string, "=" | "!="> = new Map([
  ["In", "="],
  ["NotIn", "!="],
]);

/** Unparsable selectors are dropped: the rest requires more permissions, never fewer. */
function fieldsOf(asked: FieldSelectorAttributes | undefined): FieldSelector | undefined {
  const { rawSelector = "", requirements = [] } = asked ?? {};
  if (requirements.length === 0) return rawSelector === "" ? undefined : parsedFields(rawSelector);
  return new FieldSelector(
    requirements.flatMap(({ key, operator, values = [] }) => {
      const [value, ...others] = values;
      const sign = signs.get(operator);
      return value === undefined || others.length > 0 || sign === undefined
        ? []
        : [{ field: key, operator: sign, value }];
    }),
  );
}

function parsedFields(text: string): FieldSelector | undefined {
  try {
    return parseFieldSelector(text);
  } catch {
    return undefined;
  }
}

function subjectOf({ user = "", uid, groups = [], extra }: SubjectAccessReview["spec"]): UserInfo {
  return {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function userOf({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Authenticates the token as a request's token, for the requested audiences. */
async function reviewToken(context: Context, { spec }: TokenReview): Promise<object> {
  const { token = "", audiences = [] } = spec;
  if (token === "") throw errors.badRequest("token is required for TokenReview in authentication");
  const request = {
    headers: { authorization: `Bearer ${token}` },
    caller: { type: "connection", address: "" },
    ...(audiences.length === 0 ? {} : { audiences }),
  } as const;
  try {
    const { user, audiences: common } = await authenticateRequest(request, context.services);
    if (user.name === "system:anonymous") return { authenticated: false, user: {} };
    return {
      authenticated: true,
      user: userOf(user),
      ...(common === undefined ? {} : { audiences: common }),
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { authenticated: false, user: {}, error: error.message };
  }
}

function reviewRules({ services, user }: Context, { spec }: SelfSubjectRulesReview): object {
  if ((spec.namespace ?? "") === "") throw errors.badRequest("no namespace on request");
  const rules = services.authorizer.rulesFor(user, spec.namespace ?? "");
  return {
    resourceRules: rules
      .filter(({ resources }) => resources !== undefined)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups: apiGroups ?? [],
        resources,
        ...(resourceNames === undefined ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}
