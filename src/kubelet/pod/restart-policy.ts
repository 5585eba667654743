import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { ContainerRole } from "./roles.ts";

/** The end of one run of a container. */
export interface Exit {
  readonly role: ContainerRole;
  /** Undefined when the runtime does not know it, which counts as a failure. */
  readonly exitCode: number | undefined;
  /** True for a terminating Pod, whose containers never restart. */
  readonly terminating: boolean;
}

/**
 * Decides if a container that has exited starts again (kubelet `ShouldContainerBeRestarted`, KEP-753,
 * KEP-5307).
 *
 * The first rule that applies decides:
 * 1. A terminating Pod restarts nothing, and an ephemeral container never restarts.
 * 2. An init container that has succeeded is done.
 * 3. The first restart rule with the exit code, if its action is Restart. Rules need a policy of the
 * container's own.
 * 4. The container's own policy.
 * 5. The Pod's policy; Always if it has none.
 *
 * The action RestartAllContainers is not supported: for a rule with it, the policies decide.
 */
export function restartsAfter(
  { restartPolicy: podPolicy }: Pick<Pod["spec"], "restartPolicy">,
  { restartPolicy: ownPolicy, restartPolicyRules = [] }: RestartFields,
  { role, exitCode = unknownExitCode, terminating }: Exit,
): boolean {
  if (terminating || role === "ephemeral") return false;
  if (role === "init" && exitCode === 0) return false;
  if (ownPolicy !== undefined) {
    const rule = restartPolicyRules.find(({ exitCodes }) => matches(exitCodes, exitCode));
    if (rule?.action === "Restart") return true;
  }
  const policy = ownPolicy ?? podPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

type RestartFields = Pick<Container, "restartPolicy" | "restartPolicyRules">;
type Rule = NonNullable<RestartFields["restartPolicyRules"]>[number];

/** The code of a container that SIGKILL ended. */
const unknownExitCode = 137;

function matches(exitCodes: Rule["exitCodes"], exitCode: number): boolean {
  const { operator, values = [] } = exitCodes ?? {};
  if (operator === "In") return values.includes(exitCode);
  return operator === "NotIn" && !values.includes(exitCode);
}
