import { type Expression, operators } from "../ast.ts";
import { ArrayList } from "../collections.ts";
import { type FunctionDeclaration, global, type Library, member, planned } from "../declarations.ts";
import { type Macro, type NodeFactory, variableName } from "../macros.ts";
import { fallback, index } from "../plan/forms.ts";
import { lookOptionally } from "../plan/lookup.ts";
import { bool, dyn, int, listOf, mapOf, optionalOf, parameter, string } from "../types.ts";
import {
  CelError,
  CelList,
  CelMap,
  Double,
  Duration,
  Optional,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from "../values.ts";

/** Optional values (cel-go `cel.OptionalTypes`): `a.?b.orValue(c)`. */

const k = parameter("K");
const v = parameter("V");
const list = listOf(v);
const map = mapOf(k, v);
const optional = optionalOf(v);

const value = (option: Optional): Result => option.value ?? new CelError("optional.none() dereference");

const elementOrNone = (elements: CelList, at: number): Optional | CelError => {
  if (elements.size === 0) return Optional.none;
  const element = elements.at(at);
  return element instanceof CelError ? element : Optional.of(element);
};

/** The values of the optionals that have one. */
function unwrap(options: CelList): CelList | CelError {
  const values: Value[] = [];
  for (const option of options) {
    if (option instanceof CelError) return option;
    if (option instanceof Optional && option.value !== undefined) values.push(option.value);
  }
  return new ArrayList(values);
}

/**
 * Reports whether a value is the zero value of its type: null, false, 0, the empty string, list or map, or
 * the start of 1970.
 */
function isZero(one: Value): boolean {
  if (one === null || one === false || one === 0 || one === "") return true;
  if (one instanceof Double || one instanceof Uint) return one.value === 0;
  if (one instanceof Uint8Array) return one.length === 0;
  if (one instanceof CelList || one instanceof CelMap) return one.size === 0;
  if (one instanceof Duration) return one.nanos === 0;
  return one instanceof Timestamp && one.seconds === -62_135_596_800 && one.nanos === 0;
}

/** Expands to `target.hasValue() ? present(let name = target.value() in body) : optional.none()`. */
function mapPresent(
  make: NodeFactory,
  target: Expression,
  [variable, body]: readonly [Expression, Expression],
  problem: string,
  present: (result: Expression) => Expression,
): Expression {
  const bound = make.bind(variableName(variable, problem), make.memberCall("value", make.copy(target)), body);
  const none = make.call("optional.none");
  return make.call(operators.conditional, make.memberCall("hasValue", target), present(bound), none);
}

const macros: readonly Macro[] = [
  {
    name: "optMap",
    receiver: true,
    args: 2,
    expand: (make, target, variable: Expression, body: Expression) =>
      mapPresent(
        make,
        target,
        [variable, body],
        "optMap() variable name must be a simple identifier",
        (result) => make.call("optional.of", result),
      ),
  },
  {
    name: "optFlatMap",
    receiver: true,
    args: 2,
    expand: (make, target, variable: Expression, body: Expression) =>
      mapPresent(
        make,
        target,
        [variable, body],
        "optFlatMap() variable name must be a simple identifier",
        (result) => result,
      ),
  },
];

const functions: readonly FunctionDeclaration[] = [
  { name: "optional.of", overloads: [global("optional_of", [v], optional, (one) => Optional.of(one))] },
  {
    name: "optional.ofNonZeroValue",
    overloads: [
      global("optional_ofNonZeroValue", [v], optional, (one) =>
        isZero(one) ? Optional.none : Optional.of(one),
      ),
    ],
  },
  { name: "optional.none", overloads: [global("optional_none", [], optional, () => Optional.none)] },
  { name: "value", overloads: [member("optional_value", [optional], v, value)] },
  {
    name: "hasValue",
    overloads: [member("optional_hasValue", [optional], bool, (option) => option.value !== undefined)],
  },
  {
    name: "or",
    overloads: [{ ...planned("optional_or_optional", [optional, optional], optional), member: true }],
    plan: fallback((option) => option),
  },
  {
    name: "orValue",
    overloads: [{ ...planned("optional_orValue_value", [optional, v], v), member: true }],
    plan: fallback((option) => option.value ?? null),
  },
  {
    name: operators.optionalSelect,
    overloads: [planned("select_optional_field", [dyn, string], optional)],
    plan: index(lookOptionally),
  },
  {
    name: operators.optionalIndex,
    overloads: [
      planned("list_optindex_optional_int", [list, int], optional),
      planned("optional_list_optindex_optional_int", [optionalOf(list), int], optional),
      planned("map_optindex_optional_value", [map, k], optional),
      planned("optional_map_optindex_optional_value", [optionalOf(map), k], optional),
    ],
    plan: index(lookOptionally),
  },
  {
    name: operators.index,
    overloads: [
      planned("optional_list_index_int", [optionalOf(list), int], optional),
      planned("optional_map_index_value", [optionalOf(map), k], optional),
    ],
  },
  {
    name: "last",
    overloads: [
      member("list_last", [list], optional, (elements) => elementOrNone(elements, elements.size - 1)),
    ],
  },
  {
    name: "first",
    overloads: [member("list_first", [list], optional, (elements) => elementOrNone(elements, 0))],
  },
  { name: "optional.unwrap", overloads: [global("optional_unwrap", [listOf(optional)], list, unwrap)] },
  { name: "unwrapOpt", overloads: [member("optional_unwrapOpt", [listOf(optional)], list, unwrap)] },
];

export const optionals: Library = { functions, macros, types: [optionalOf(v)], optionalSyntax: true };
