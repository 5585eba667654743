import { type Environment, extend, type TypeProvider } from "../cel/environment.ts";
import { authorizerType, resourceCheckType } from "../cel/libraries/authorization.ts";
import { dyn, listOf, mapOf, objectType } from "../cel/types.ts";
import type { Type } from "../cel/type.ts";
import { admissionTypes, namespaceType, requestType } from "./admission-types.ts";

/** The variables of expressions about requests. */
export interface AdmissionVariables {
  /** The type of `object` and `oldObject`. Default: any. */
  readonly object?: Type;
  /** The type of `params`; undefined when there are none. */
  readonly params: Type | undefined;
  readonly authorizer: {
    readonly ofRequest: boolean;
    /** Adds `authorizer.requestResource`. */
    readonly ofResource: boolean;
  };
  /** The types of the policy's variables, which may still grow; undefined when there are none. */
  readonly composed: ReadonlyMap<string, Type> | undefined;
  /** The types of objects and parameters. */
  readonly types?: readonly TypeProvider[];
}

const variablesType = objectType("kubernetes.variables");

/** Adds the variables to an environment (`k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`). */
export function withAdmissionVariables(
  base: Environment,
  { object = dyn, params, authorizer, composed, types = [] }: AdmissionVariables,
): Environment {
  return extend(base, {
    variables: {
      object,
      oldObject: object,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params && { params }),
      ...(authorizer.ofRequest && { authorizer: authorizerType }),
      ...(authorizer.ofResource && { "authorizer.requestResource": resourceCheckType }),
      ...(composed && { variables: variablesType }),
    },
    types: [admissionTypes, ...(composed ? [composedTypes(composed)] : []), ...types],
  });
}

function composedTypes(composed: ReadonlyMap<string, Type>): TypeProvider {
  return {
    findType: (name) => (name === variablesType.name ? variablesType : undefined),
    findField: (type, field) => (type === variablesType.name ? composed.get(field) : undefined),
  };
}

/** The types of variables that are known; any other type is dynamic. */
const knownKinds: ReadonlySet<string> = new Set(
  "any bool bytes double duration int null string timestamp uint".split(" "),
);

/** The type of a variable whose expression has the type (`convertCelTypeToDeclType`). */
export function composedType(type: Type): Type {
  const [first, second] = type.parameters.map(composedType);
  if (type.kind === "list" && first !== undefined) return listOf(first);
  if (type.kind === "map" && first !== undefined && second !== undefined) return mapOf(first, second);
  return knownKinds.has(type.kind) && !type.nullable ? type : dyn;
}
