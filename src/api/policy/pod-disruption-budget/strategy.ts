import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { columns } from "./printer.ts";
import type { PodDisruptionBudget } from "./schema.ts";
import { validatePodDisruptionBudget, validatePodDisruptionBudgetStatus } from "./validation.ts";

export const strategy: Strategy<PodDisruptionBudget> = {
  setDefaults: stripOldLabel,
  validateName: pathSegmentProblems,
  validate: validatePodDisruptionBudget,
  parts: { status: { validate: validatePodDisruptionBudgetStatus } },
  generation: true,
  allowUnconditionalUpdate: false,
  columns,
};

/** A label by which v1beta1 distinguished selectors of all Pods from selectors of none. */
const oldLabel = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/** Removes the label from selectors with other requirements, where it has no effect. */
function stripOldLabel({ spec: { selector } }: Draft<PodDisruptionBudget>): void {
  const { matchExpressions = [], matchLabels } = selector ?? {};
  const [first, ...others] = matchExpressions;
  const isNone = first?.key === oldLabel && first.operator === "Exists" && others.length === 0;
  if (selector === undefined || (isNone && matchLabels === undefined && (first.values ?? []).length === 0))
    return;
  const kept = matchExpressions.filter(({ key }) => key !== oldLabel);
  if (kept.length === 0) delete selector.matchExpressions;
  else selector.matchExpressions = kept;
}
