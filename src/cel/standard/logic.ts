import { operators } from "../ast.ts";
import { comparison } from "../cost/model.ts";
import { type FunctionDeclaration, global, planned } from "../declarations.ts";
import { conditional, equality, logical, notStrictlyFalse } from "../plan/forms.ts";
import { bool, parameter } from "../types.ts";

const a = parameter("A");

export const logic: readonly FunctionDeclaration[] = [
  {
    name: operators.conditional,
    overloads: [planned("conditional", [bool, a, a], a)],
    plan: conditional,
  },
  {
    name: operators.and,
    overloads: [planned("logical_and", [bool, bool], bool)],
    plan: logical(false),
  },
  {
    name: operators.or,
    overloads: [planned("logical_or", [bool, bool], bool)],
    plan: logical(true),
  },
  { name: operators.not, overloads: [global("logical_not", [bool], bool, (x) => !x)], blames: "nothing" },
  {
    name: operators.notStrictlyFalse,
    overloads: [planned("not_strictly_false", [bool], bool)],
    plan: notStrictlyFalse,
  },
  {
    name: operators.equals,
    overloads: [planned("equals", [a, a], bool, comparison)],
    plan: equality(true),
  },
  {
    name: operators.notEquals,
    overloads: [planned("not_equals", [a, a], bool, comparison)],
    plan: equality(false),
  },
];
