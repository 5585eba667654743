import type { Job } from "../../api/batch/job/schema.ts";
import { countOf, countOfCommon, type Indexes, parseIndexes } from "./indexes.ts";

/** Returns the message about the first rule that is met; undefined when none is (upstream `matchSuccessPolicy`). */
export function metSuccessRule({ spec }: Job, succeeded: Indexes): string | undefined {
  if (succeeded.length === 0) return undefined;
  const completions = spec.completions ?? 0;
  const met = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    }
    const required = parseIndexes(succeededIndexes, completions);
    if (required.length === 0) return false;
    const common = countOfCommon(required, succeeded);
    return common === countOf(required) || (succeededCount !== undefined && common >= succeededCount);
  });
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}
