import type {
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../api/batch/job/policy.ts";
import type { Job } from "../../api/batch/job/schema.ts";
import type { ContainerStatus } from "../../api/core/pod/container-status.ts";
import type { Pod } from "../../api/core/pod/schema.ts";

/** The consequence of a failed Pod for its Job. */
export interface FailureOutcome {
  readonly action?: PodFailurePolicyRule["action"];
  /** True when the failure counts towards the limits of retries. */
  readonly counts: boolean;
  /** The reason why the Job fails; only with the action FailJob. */
  readonly message?: string;
}

/** Returns the outcome of the first rule that matches (upstream `matchPodFailurePolicy`). */
export function failureOutcome({ spec }: Job, pod: Pod): FailureOutcome {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const cause = causeOf(rule, pod);
    if (cause === undefined) continue;
    const { action } = rule;
    if (action !== "FailJob") return { action, counts: action !== "Ignore" };
    return { action, counts: true, message: `${cause} matching FailJob rule at index ${index}` };
  }
  return { counts: true };
}

function causeOf({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { metadata, status } = pod;
  const name = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes !== undefined) {
    const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    const container = all.find((one) => matches(one, onExitCodes));
    if (container === undefined) return undefined;
    return `Container ${container.name} for pod ${name} failed with exit code ${container.state?.terminated?.exitCode}`;
  }
  const condition = status.conditions?.find((one) =>
    onPodConditions?.some((pattern) => pattern.type === one.type && pattern.status === one.status),
  );
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`;
}

function matches(
  { name, state }: ContainerStatus,
  { containerName = name, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode ?? 0;
  if (containerName !== name || code === 0) return false;
  return (values ?? []).includes(code) === (operator === "In");
}
