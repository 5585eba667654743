import { ArrayList } from "../collections.ts";
import { type CostModel, patternSearch, sizeAt } from "../cost/model.ts";
import { type Library, member } from "../declarations.ts";
import { variadic } from "../plan/call.ts";
import type { Dispatch } from "../plan/dispatch.ts";
import type { SpecialForm } from "../declarations.ts";
import { findAll } from "../regex.ts";
import { checkPattern } from "../standard/strings.ts";
import { int, listOf, string } from "../types.ts";
import { CelError, type CelList, type Int, noSuchOverload, type Result } from "../values.ts";

/** Functions that find matches of a pattern (`k8s.io/apiserver/pkg/cel/library/regex.go`). */

/**
 * The cost of a search. All matches together are at most as long as the text, and there are at most as many
 * as characters.
 */
const finding: CostModel = {
  estimate: (args) => ({ ...patternSearch.estimate(args), size: { min: 0, max: sizeAt(args, 0).max } }),
  actual: patternSearch.actual,
};

function find(text: string, pattern: string): string | CelError {
  const found = findAll(text, pattern, 1);
  return found instanceof CelError ? found : (found[0] ?? "");
}

function all(text: string, pattern: string, most: Int = -1): CelList | CelError {
  const found = findAll(text, pattern, most);
  return found instanceof CelError ? found : new ArrayList(found);
}

/** Compiles a constant pattern in advance. Upstream then calls another function. */
const planned =
  (call: (text: string, pattern: string, most: Int | undefined) => Result): SpecialForm =>
  (args, overloads) => {
    checkPattern(args, overloads);
    const pattern = args[1]?.constant;
    if (typeof pattern !== "string") return undefined;
    const dispatch: Dispatch = ([text, , most]) => {
      const isCount = most === undefined || typeof most === "number" || typeof most === "bigint";
      return typeof text === "string" && isCount ? call(text, pattern, most) : noSuchOverload;
    };
    const steps = args.map(({ run }) => run);
    return { run: variadic(dispatch, steps, finding) };
  };

export const patterns: Library = {
  functions: [
    {
      name: "find",
      overloads: [member("string_find_string", [string, string], string, find)],
      cost: finding,
      plan: planned(find),
    },
    {
      name: "findAll",
      overloads: [
        member("string_find_all_string", [string, string], listOf(string), (text, pattern) =>
          all(text, pattern),
        ),
        member("string_find_all_string_int", [string, string, int], listOf(string), all),
      ],
      cost: finding,
      plan: planned(all),
    },
  ],
};
