import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { templateHooks } from "../../core/pod/dropped-fields.ts";
import { replicasWarnings } from "../../core/pod/warnings/pod.ts";
import { validateSameSelector } from "../validation.ts";
import { defaultDeployment } from "./defaults.ts";
import { deploymentColumns } from "./printer.ts";
import type { Deployment } from "./schema.ts";
import { validateDeployment, validateDeploymentStatus } from "./validation.ts";

export const deploymentStrategy: Strategy<Deployment> = {
  ...templateHooks,
  setDefaults: defaultDeployment,
  prepareForUpdate: prepareDeployment,
  validate: validateDeployment,
  validateUpdate: validateSameSelector,
  parts: { status: { keepsMetadata: ["labels"], validate: validateDeploymentStatus } },
  warnings: replicasWarnings,
  generation: true,
  columns: deploymentColumns,
};

/**
 * Increases the generation also when annotations change, because a Deployment copies its annotations to
 * ReplicaSets.
 */
function prepareDeployment(
  draft: Draft<Deployment>,
  old: Deployment,
  { subresource }: StrategyContext,
): void {
  templateHooks.prepareForUpdate(draft, old);
  const { metadata } = draft;
  if (subresource !== "" || deepEqual(metadata.annotations, old.metadata.annotations)) return;
  metadata.generation = (old.metadata.generation ?? 0) + 1;
}
