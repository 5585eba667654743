import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
  Variable,
} from "../../api/admissionregistration/policy/schema.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { compile } from "../../cel/compile.ts";
import { compiling, compilingTogether } from "../../cel/effort.ts";
import { type Environment, environment } from "../../cel/environment.ts";
import { shapeTypes } from "../../cel/shape/types.ts";
import type { Shape } from "../../cel/shape/shape.ts";
import { dyn } from "../../cel/types.ts";
import type { Type } from "../../cel/type.ts";
import { composedType, withAdmissionVariables } from "../../expressions/admission-environment.ts";
import { kubernetesLibraries } from "../../expressions/kubernetes-environment.ts";
import { shapeOf } from "../../expressions/schema-shape.ts";
import type { GroupVersionKind } from "../../meta/kind.ts";
import type { Steps } from "../../util/steps.ts";

/** A kind with the schema of its objects; without one, objects are of any type. */
export interface KnownKind {
  readonly kind: GroupVersionKind;
  readonly schema: JSONSchemaProps | undefined;
}

export interface Kinds {
  /** The kinds that the policy matches, as far as their schemas are known. */
  readonly matched: readonly KnownKind[];
  /** The kind of the parameters; undefined without them. */
  readonly params: KnownKind | undefined;
}

/**
 * The problems of a policy's validations and their messages, given the types of the objects that it matches
 * (`apiserver/pkg/admission/plugin/policy/validating/typechecking.go`). Names of types end in a number from `now` in
 * milliseconds, as upstream's do.
 *
 * The expressions of a policy together may take as long for each kind as one expression may.
 */
export function* typeWarnings(
  spec: ValidatingAdmissionPolicySpec,
  { matched, params }: Kinds,
  now: number,
): Steps<readonly ExpressionWarning[]> {
  const texts = [...expressionsOf(spec)];
  const problems = texts.map((): string[] => []);
  const nameOf = uniqueNames(now);
  const paramsShape = params && shapeOfKind(params, nameOf(params.kind));
  for (const known of matched) {
    const within = typedEnvironment({
      object: shapeOfKind(known, nameOf(known.kind)),
      params: params && { shape: paramsShape },
    });
    const found = compilingTogether(problemsIn(within, spec.variables ?? [], texts));
    for (const { index, message } of found) {
      if (message !== undefined) problems[index]?.push(`${textOf(known.kind)}: ${message}\n`);
      yield;
    }
  }
  return texts.flatMap(({ fieldRef }, index) => {
    const own = problems[index] ?? [];
    return own.length === 0 ? [] : [{ fieldRef, warning: own.join("\n") }];
  });
}

interface Text {
  readonly fieldRef: string;
  readonly text: string;
}

function* expressionsOf({ validations = [] }: ValidatingAdmissionPolicySpec): Generator<Text> {
  for (const [i, { expression, messageExpression }] of validations.entries()) {
    yield { fieldRef: `spec.validations[${i}].expression`, text: expression };
    if (messageExpression) {
      yield { fieldRef: `spec.validations[${i}].messageExpression`, text: messageExpression };
    }
  }
}

interface Problem {
  readonly index: number;
  /** Undefined when the expression has no problem. */
  readonly message: string | undefined;
}

/** Checks the variables, then each expression. The variables' problems are not reported. */
function* problemsIn(
  within: (variables: ReadonlyMap<string, Type>) => Environment,
  declared: readonly Variable[],
  texts: readonly Text[],
): Generator<Problem> {
  const variables = new Map<string, Type>();
  const typed = within(variables);
  for (const { name, expression } of declared) {
    const compiled = compile(typed, expression);
    const type = compiled.ok ? compiled.program.type : compiled.type;
    variables.set(name, type === undefined ? dyn : composedType(type));
    yield { index: -1, message: undefined };
  }
  for (const [index, { text }] of texts.entries()) {
    const compiled = compile(typed, text);
    // Upstream checks only; it makes no program.
    const isSound = compiled.ok || compiled.stage === "instantiation";
    yield { index, message: isSound ? undefined : compiled.message };
  }
}

let base: Environment | undefined;

interface Shapes {
  readonly object: Shape | undefined;
  readonly params: { readonly shape: Shape | undefined } | undefined;
}

function typedEnvironment({ object, params }: Shapes): (variables: ReadonlyMap<string, Type>) => Environment {
  base ??= environment({ libraries: kubernetesLibraries });
  const outer = base;
  const shapes = [object, params?.shape].filter((one) => one !== undefined);
  return (composed) =>
    withAdmissionVariables(outer, {
      object: object?.type ?? dyn,
      params: params && (params.shape?.type ?? dyn),
      authorizer: { ofRequest: true, ofResource: false },
      composed,
      types: [shapeTypes(...shapes)],
    });
}

/** Undefined for a kind without a typed schema, or with one that is too large to be read. */
function shapeOfKind({ schema }: KnownKind, name: string): Shape | undefined {
  if (schema === undefined) return undefined;
  return compiling(
    () => shapeOf(schema, true, name)?.shape,
    () => undefined,
  );
}

/** Names types as upstream: by the kind and the nanoseconds of the present second. */
function uniqueNames(now: number): (kind: GroupVersionKind) => string {
  let nanoseconds = (now % 1000) * 1_000_000;
  return ({ kind }) => `${kind}${nanoseconds++}`;
}

/** The text of a kind in messages of Go (`GroupVersionKind.String`). */
function textOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
