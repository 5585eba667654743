import { actualSizeAt, type CostModel, fixed, perCharacter, sizeAt } from "../cost/model.ts";
import { exactly, one, plus, type Range, scaled } from "../cost/range.ts";
import { type FunctionDeclaration, type Library, member, type Overload } from "../declarations.ts";
import { trim } from "../text.ts";
import { bool, objectType, string } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, CelObject, noSuchOverload } from "../values.ts";
import { table } from "../../util/table.ts";

/** Authorization checks (`k8s.io/apiserver/pkg/cel/library/authz.go`). */

/** The authorizer of one user. */
export interface Access {
  decide(question: Question): Decision;
  /** Returns the authorizer of a ServiceAccount. */
  forServiceAccount(namespace: string, name: string): Access;
}

export type Question = { readonly verb: string } & (PathQuestion | ResourceQuestion);

interface PathQuestion {
  readonly type: "path";
  readonly path: string;
}

/** A request for access to a resource. Unset parts are empty. */
interface ResourceQuestion extends ResourceParts {
  readonly type: "resource";
}

export interface ResourceParts {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The error of the authorizer, if any. */
  readonly error: string | undefined;
}

/**
 * A value that the functions of this library pass to each other. It is not equal to any value, including
 * itself.
 */
abstract class Opaque<T> extends CelObject {
  readonly held: T;

  constructor(held: T) {
    super();
    this.held = held;
  }

  override equals(): CelError {
    return noSuchOverload;
  }
}

/** The value of the variable `authorizer`. */
export class Authorizer extends Opaque<Access> {
  readonly type: Type = authorizerType;
}

class PathCheck extends Opaque<{ readonly access: Access; readonly path: string }> {
  readonly type: Type = pathCheckType;
}

class GroupCheck extends Opaque<{ readonly access: Access; readonly group: string }> {
  readonly type: Type = groupCheckType;
}

/** A check of a resource. Also the value of the variable `authorizer.requestResource`. */
export class ResourceCheck extends Opaque<{ readonly access: Access; readonly parts: ResourceParts }> {
  readonly type: Type = resourceCheckType;
}

class Answer extends Opaque<Decision> {
  readonly type: Type = decisionType;
}

export const authorizerType = objectType<Authorizer>("kubernetes.authorization.Authorizer");
const pathCheckType = objectType<PathCheck>("kubernetes.authorization.PathCheck");
const groupCheckType = objectType<GroupCheck>("kubernetes.authorization.GroupCheck");
export const resourceCheckType = objectType<ResourceCheck>("kubernetes.authorization.ResourceCheck");
const decisionType = objectType<Answer>("kubernetes.authorization.Decision");

const noParts: ResourceParts = {
  group: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

function path({ held: access }: Authorizer, path: string): PathCheck | CelError {
  return trim(path) === "" ? new CelError("path must not be empty") : new PathCheck({ access, path });
}

function resource({ held: { access, group } }: GroupCheck, name: string): ResourceCheck | CelError {
  if (trim(name) === "") return new CelError("resource must not be empty");
  return new ResourceCheck({ access, parts: { ...noParts, group, resource: name } });
}

const checkPath = ({ held: { access, path } }: PathCheck, verb: string) =>
  new Answer(access.decide({ type: "path", path, verb }));

const checkResource = ({ held: { access, parts } }: ResourceCheck, verb: string) =>
  new Answer(access.decide({ type: "resource", ...parts, verb }));

/** The cost of a check, which permits two checks in an expression. */
const checking = fixed(350_000);

/** The cost of parsing a list of requirements, each of which has at least two characters. */
const selectorCost = (length: Range): Range =>
  plus(plus(exactly(10), scaled(length, perCharacter)), scaled(scaled(length, 0.5), 50));

const selecting: CostModel = {
  estimate: (args) => ({ cost: selectorCost(sizeAt(args, 1)) }),
  actual: (args) => selectorCost(exactly(actualSizeAt(args, 1))).max,
};

const narrowing = (part: keyof ResourceParts, id: string) =>
  member(
    id,
    [resourceCheckType, string],
    resourceCheckType,
    ({ held: { access, parts } }, value) => new ResourceCheck({ access, parts: { ...parts, [part]: value } }),
  );

export interface Names {
  isServiceAccount(name: string): boolean;
  isNamespace(name: string): boolean;
}

const overloads: Readonly<Record<string, readonly Overload[]>> = table({
  path: [member("authorizer_path", [authorizerType, string], pathCheckType, path)],
  group: [
    member(
      "authorizer_group",
      [authorizerType, string],
      groupCheckType,
      ({ held: access }, group) => new GroupCheck({ access, group }),
    ),
  ],
  resource: [member("groupcheck_resource", [groupCheckType, string], resourceCheckType, resource)],
  subresource: [narrowing("subresource", "resourcecheck_subresource")],
  namespace: [narrowing("namespace", "resourcecheck_namespace")],
  name: [narrowing("name", "resourcecheck_name")],
  fieldSelector: [narrowing("fieldSelector", "authorizer_fieldselector")],
  labelSelector: [narrowing("labelSelector", "authorizer_labelselector")],
  check: [
    member("pathcheck_check", [pathCheckType, string], decisionType, checkPath),
    member("resourcecheck_check", [resourceCheckType, string], decisionType, checkResource),
  ],
  errored: [member("decision_errored", [decisionType], bool, ({ held }) => held.error !== undefined)],
  error: [member("decision_error", [decisionType], string, ({ held }) => held.error ?? "")],
  allowed: [member("decision_allowed", [decisionType], bool, ({ held }) => held.allowed)],
  reason: [member("decision_reason", [decisionType], string, ({ held }) => held.reason)],
});

const costs: Readonly<Record<string, CostModel>> = table({
  fieldSelector: selecting,
  labelSelector: selecting,
  check: checking,
});

const shared: readonly FunctionDeclaration[] = Object.entries(overloads).map(([name, some]) => {
  const cost = costs[name];
  return { name, overloads: some, ...(cost && { cost }) };
});

const types = [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType];
const equality = Object.fromEntries(types.map(({ name }) => [name, () => ({ cost: one })]));

export function authorization(names: Names): Library {
  const forServiceAccount = ({ held: access }: Authorizer, namespace: string, name: string) => {
    if (!names.isServiceAccount(name)) return new CelError("Invalid service account name");
    if (!names.isNamespace(namespace)) return new CelError("Invalid service account namespace");
    return new Authorizer(access.forServiceAccount(namespace, name));
  };
  const serviceAccount = member(
    "authorizer_serviceaccount",
    [authorizerType, string, string],
    authorizerType,
    forServiceAccount,
  );
  return { functions: [...shared, { name: "serviceAccount", overloads: [serviceAccount] }], equality };
}
