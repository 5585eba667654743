import type { Draft } from "../../meta/schema.ts";
import { type Column, type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { pathSegmentProblems } from "../../meta/validation/text.ts";
import { column, integer } from "../printing.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "./v1-pod-disruption-budget.ts";
import { validatePodDisruptionBudget, validatePodDisruptionBudgetStatus } from "./validation.ts";

const amountText = (amount: number | string | undefined) => String(amount ?? "N/A");

const columns: readonly Column<PodDisruptionBudget>[] = [
  column("Min Available", "How many Pods must stay.", ({ spec }) => amountText(spec.minAvailable)),
  column("Max Unavailable", "How many Pods may go.", ({ spec }) => amountText(spec.maxUnavailable)),
  integer("Allowed Disruptions", "How many Pods may go now.", ({ status }) => status.disruptionsAllowed),
];

const strategy: Strategy<PodDisruptionBudget> = {
  setDefaults: stripOldLabel,
  validateName: pathSegmentProblems,
  validate: validatePodDisruptionBudget,
  validateStatusUpdate: validatePodDisruptionBudgetStatus,
  generation: true,
  allowUnconditionalUpdate: false,
  columns,
};

/** By its absence, the predecessor of this version told selectors of all Pods from those of none. */
const oldLabel = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/** Beside other conditions it means nothing. */
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

/** The group `policy`. */
export const policyRegistrations: readonly Registration[] = [serve(podDisruptionBudgets, strategy)];
