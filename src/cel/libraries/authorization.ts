import { actualSizeAt, type CostModel, fixed, perCharacter, sizeAt } from "../cost/model.ts";
import { exactly, one, plus, type Range, scaled } from "../cost/range.ts";
import { type FunctionDeclaration, type Library, member } from "../declarations.ts";
import { trim } from "../text.ts";
import { bool, objectType, string, type Type } from "../types.ts";
import { CelError, CelObject, noSuchOverload } from "../values.ts";

/** Questions about what somebody may do (`k8s.io/apiserver/pkg/cel/library/authz.go`). */

/** Who may be asked. */
export interface Access {
  decide(question: Question): Decision;
  /** The same for a ServiceAccount. */
  forServiceAccount(namespace: string, name: string): Access;
}

export type Question = { readonly verb: string } & (PathQuestion | ResourceQuestion);

interface PathQuestion {
  readonly type: "path";
  readonly path: string;
}

/** Empty where a part was not given. */
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
  /** What went wrong, if something did. */
  readonly error: string | undefined;
}

/** None of these equals anything, not even itself. */
abstract class Opaque extends CelObject {
  override equals(): CelError {
    return noSuchOverload;
  }
}

/** The value of the variable `authorizer`. */
export class Authorizer extends Opaque {
  readonly access: Access;

  constructor(access: Access) {
    super();
    this.access = access;
  }

  override get type(): Type {
    return authorizerType;
  }
}

class PathCheck extends Opaque {
  readonly access: Access;
  readonly path: string;

  constructor(access: Access, path: string) {
    super();
    this.access = access;
    this.path = path;
  }

  override get type(): Type {
    return pathCheckType;
  }
}

class GroupCheck extends Opaque {
  readonly access: Access;
  readonly group: string;

  constructor(access: Access, group: string) {
    super();
    this.access = access;
    this.group = group;
  }

  override get type(): Type {
    return groupCheckType;
  }
}

/** Also the value of the variable `authorizer.requestResource`. */
export class ResourceCheck extends Opaque {
  readonly access: Access;
  readonly parts: ResourceParts;

  constructor(access: Access, parts: ResourceParts) {
    super();
    this.access = access;
    this.parts = parts;
  }

  override get type(): Type {
    return resourceCheckType;
  }

  with(part: keyof ResourceParts, value: string): ResourceCheck {
    return new ResourceCheck(this.access, { ...this.parts, [part]: value });
  }
}

class Answer extends Opaque {
  readonly decision: Decision;

  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }

  override get type(): Type {
    return decisionType;
  }
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

function path({ access }: Authorizer, text: string): PathCheck | CelError {
  return trim(text) === "" ? new CelError("path must not be empty") : new PathCheck(access, text);
}

function resource({ access, group }: GroupCheck, name: string): ResourceCheck | CelError {
  if (trim(name) === "") return new CelError("resource must not be empty");
  return new ResourceCheck(access, { ...noParts, group, resource: name });
}

const checkPath = ({ access, path }: PathCheck, verb: string) =>
  new Answer(access.decide({ type: "path", path, verb }));

const checkResource = ({ access, parts }: ResourceCheck, verb: string) =>
  new Answer(access.decide({ type: "resource", ...parts, verb }));

/** A check costs so much that an expression can have two of them. */
const checking = fixed(350_000);

/** A list of requirements, each of which takes at least two characters. */
const selectorCost = (length: Range): Range =>
  plus(plus(exactly(10), scaled(length, perCharacter)), scaled(scaled(length, 0.5), 50));

const selecting: CostModel = {
  estimate: (args) => ({ cost: selectorCost(sizeAt(args, 1)) }),
  actual: (args) => selectorCost(exactly(actualSizeAt(args, 1))).max,
};

const narrowing = (name: keyof ResourceParts, id: string, cost?: CostModel): FunctionDeclaration => ({
  name,
  overloads: [
    member(id, [resourceCheckType, string], resourceCheckType, (check, value) => check.with(name, value)),
  ],
  ...(cost && { cost }),
});

export interface Names {
  isServiceAccount(name: string): boolean;
  isNamespace(name: string): boolean;
}

const shared: readonly FunctionDeclaration[] = [
  { name: "path", overloads: [member("authorizer_path", [authorizerType, string], pathCheckType, path)] },
  {
    name: "group",
    overloads: [
      member(
        "authorizer_group",
        [authorizerType, string],
        groupCheckType,
        ({ access }, group) => new GroupCheck(access, group),
      ),
    ],
  },
  {
    name: "resource",
    overloads: [member("groupcheck_resource", [groupCheckType, string], resourceCheckType, resource)],
  },
  narrowing("subresource", "resourcecheck_subresource"),
  narrowing("namespace", "resourcecheck_namespace"),
  narrowing("name", "resourcecheck_name"),
  narrowing("fieldSelector", "authorizer_fieldselector", selecting),
  narrowing("labelSelector", "authorizer_labelselector", selecting),
  {
    name: "check",
    overloads: [
      member("pathcheck_check", [pathCheckType, string], decisionType, checkPath),
      member("resourcecheck_check", [resourceCheckType, string], decisionType, checkResource),
    ],
    cost: checking,
  },
  {
    name: "errored",
    overloads: [
      member("decision_errored", [decisionType], bool, ({ decision }) => decision.error !== undefined),
    ],
  },
  {
    name: "error",
    overloads: [member("decision_error", [decisionType], string, ({ decision }) => decision.error ?? "")],
  },
  {
    name: "allowed",
    overloads: [member("decision_allowed", [decisionType], bool, ({ decision }) => decision.allowed)],
  },
  {
    name: "reason",
    overloads: [member("decision_reason", [decisionType], string, ({ decision }) => decision.reason)],
  },
];

const types = [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType];
const equality = Object.fromEntries(types.map(({ name }) => [name, () => ({ cost: one })]));

export function authorization(names: Names): Library {
  const forServiceAccount = ({ access }: Authorizer, namespace: string, name: string) => {
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
