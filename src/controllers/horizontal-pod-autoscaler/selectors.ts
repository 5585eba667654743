import type { Pod } from "../../api/core/pod/schema.ts";
import { keyOf } from "../../client/indexer.ts";
import type { HorizontalPodAutoscaler } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { parseSelector } from "../../meta/label-parser.ts";
import { type Selector, SelectorError } from "../../meta/labels.ts";
import type { ConditionChange } from "./conditions.ts";
import type { EventDraft } from "./event-draft.ts";

/** The reason why the Pods of a target are unknown. */
export interface SelectorProblem {
  readonly event: EventDraft;
  readonly condition: ConditionChange;
  readonly error: string;
}

/** The selector of a target's scale; the text is empty when the scale has none. */
export function parseScaleSelector(text: string): { selector: Selector } | { problem: SelectorProblem } {
  if (text === "") {
    const shown = "the HPA target's scale is missing a selector";
    return {
      problem: problem("SelectorRequired", "selector is required", {
        reason: "InvalidSelector",
        message: shown,
      }),
    };
  }
  try {
    return { selector: parseSelector(text) };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    return { problem: problem("InvalidSelector", message) };
  }
}

/**
 * Reports Pods that several autoscalers of one namespace select, by the selectors that their targets had when last
 * read. The work is Pods × autoscalers of the namespace, as upstream.
 */
export function ambiguity(
  hpa: HorizontalPodAutoscaler,
  text: string,
  pods: readonly Pod[],
  selectors: ReadonlyMap<string, Selector>,
): SelectorProblem | undefined {
  const own = keyOf(hpa);
  const others = [...selectors].filter(
    ([key, selector]) =>
      key !== own &&
      key.startsWith(`${hpa.metadata.namespace}/`) &&
      pods.some(({ metadata }) => selector.matches(metadata.labels)),
  );
  if (others.length === 0 || pods.length === 0) return undefined;
  const keys = [own, ...others.map(([key]) => key)].toSorted();
  return problem(
    "AmbiguousSelector",
    `pods by selector ${text} are controlled by multiple HPAs: [${keys.join(" ")}]`,
  );
}

function problem(
  reason: string,
  message: string,
  shown: { reason: string; message: string } = { reason, message },
): SelectorProblem {
  return {
    event: { type: "Warning", reason, message },
    condition: { type: "ScalingActive", status: "False", ...shown },
    error: message,
  };
}
