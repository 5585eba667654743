import { affix, patternSearch, search } from "../cost/model.ts";
import { type FunctionDeclaration, global, member } from "../declarations.ts";
import type { SpecialForm } from "../declarations.ts";
import { PlanError } from "../plan/planned.ts";
import { compilePattern, isPattern, matches } from "../regex.ts";
import { bool, string } from "../types.ts";
import { CelError } from "../values.ts";

/** Checks a constant pattern before the evaluation. The call itself is an ordinary one. */
export const checkPattern: SpecialForm = ([, pattern]) => {
  const compiled = typeof pattern?.constant === "string" ? compilePattern(pattern.constant) : undefined;
  if (compiled instanceof CelError) throw new PlanError(compiled.message);
  return undefined;
};

export const strings: readonly FunctionDeclaration[] = [
  {
    name: "contains",
    blames: "nothing",
    overloads: [
      member("contains_string", [string, string], bool, (text, part) => text.includes(part), search),
    ],
  },
  {
    name: "endsWith",
    blames: "nothing",
    overloads: [member("ends_with_string", [string, string], bool, (text, end) => text.endsWith(end), affix)],
  },
  {
    name: "startsWith",
    blames: "nothing",
    overloads: [
      member("starts_with_string", [string, string], bool, (text, start) => text.startsWith(start), affix),
    ],
  },
  {
    name: "matches",
    overloads: [
      global("matches", [string, string], bool, matches),
      member("matches_string", [string, string], bool, matches, patternSearch),
    ],
    blames: "nothing",
    acceptsLiteral: isPattern,
    plan: checkPattern,
  },
];
