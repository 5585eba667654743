import type { ExpressionChecker, ExpressionSite } from "../api/admissionregistration/expressions.ts";
import { compile } from "../cel/compile.ts";
import { type Environment, environment } from "../cel/environment.ts";
import { dynamicObject, dynamicObjectTypes } from "../cel/libraries/dynamic-objects.ts";
import { jsonPatches, jsonPatchType, jsonPatchTypes } from "../cel/libraries/json-patch.ts";
import { bool, dyn, listOf, nullType, sameType, string } from "../cel/types.ts";
import type { Type } from "../cel/type.ts";
import { type FieldError, internal, invalid } from "../meta/field-error.ts";
import { composedType, withAdmissionVariables } from "./admission-environment.ts";
import { kubernetesLibraries } from "./kubernetes-environment.ts";

type Use = ExpressionSite["use"];

/**
 * The allowed result types of an expression (`ReturnTypes` of upstream's conditions); undefined for any type.
 */
const results: Readonly<Record<Use, readonly Type[] | undefined>> = {
  matchCondition: [bool],
  variable: undefined,
  validation: [bool],
  message: [string],
  auditAnnotation: [string, nullType],
  applyConfiguration: [dynamicObject],
  jsonPatch: [listOf(jsonPatchType)],
};

/**
 * Checks expressions about requests when a webhook or a policy is written
 * (`k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`). Upstream 1.36 added nothing to the language of
 * 1.35, so new expressions may use the same features as stored ones.
 */
export const checkExpressions: ExpressionChecker = ({ hasParams, hasVariables }) => {
  const variables = new Map<string, Type>();
  const environments = new Map<Use, Environment>();
  const within = (use: Use) => {
    const known = environments.get(use) ?? declare(use, hasParams, hasVariables ? variables : undefined);
    environments.set(use, known);
    return known;
  };
  return function* ({ use, text, path, name }): Generator<FieldError> {
    const compiled = compile(within(use), use === "auditAnnotation" ? text.trim() : text);
    const type = compiled.ok ? compiled.program.type : compiled.type;
    if (name !== undefined) variables.set(name, compiled.ok ? composedType(compiled.program.type) : dyn);
    if (type !== undefined && results[use]?.some((result) => sameType(result, type)) === false) {
      yield invalid(path, text, `must evaluate to ${oneOf(results[use])} but got ${type.declaration}`);
    } else if (!compiled.ok && compiled.stage === "instantiation") {
      yield internal(path, `program instantiation failed: ${compiled.message}`);
    } else if (!compiled.ok) yield invalid(path, text, `compilation failed: ${compiled.message}`);
  };
};

function oneOf(types: readonly Type[]): string {
  const names = types.map(({ declaration }) => declaration).join(" ");
  return types.length === 1 ? names : `one of [${names}]`;
}

let base: Environment | undefined;
let patching: Environment | undefined;

function declare(
  use: Use,
  hasParams: boolean,
  variables: ReadonlyMap<string, Type> | undefined,
): Environment {
  const isMutation = use === "applyConfiguration" || use === "jsonPatch";
  const libraries = isMutation ? [...kubernetesLibraries, jsonPatches] : kubernetesLibraries;
  const outer = isMutation
    ? (patching ??= environment({ libraries }))
    : (base ??= environment({ libraries }));
  const hasAuthorizer = use !== "message";
  return withAdmissionVariables(outer, {
    params: hasParams ? dyn : undefined,
    authorizer: { ofRequest: hasAuthorizer, ofResource: hasAuthorizer },
    composed: use === "matchCondition" ? undefined : variables,
    types: isMutation ? [jsonPatchTypes, dynamicObjectTypes] : [],
  });
}
