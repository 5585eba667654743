import { humanDuration } from "../../../meta/human-duration.ts";
import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorText, wide } from "../../printing.ts";
import { hasCondition } from "./conditions.ts";
import type { Job, JobSpec } from "./schema.ts";

function statusText({ metadata, status }: Job): string {
  for (const end of ["Complete", "Failed"] as const) if (hasCondition(status, end)) return end;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const phases = ["Suspended", "FailureTarget", "SuccessCriteriaMet"] as const;
  return phases.find((type) => hasCondition(status, type)) ?? "Running";
}

function completionsText({ spec: { completions, parallelism = 0 }, status: { succeeded = 0 } }: Job): string {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status: { startTime, completionTime } }: Job, now: number): string {
  if (startTime === undefined) return "";
  const end = completionTime === undefined ? now : Date.parse(completionTime);
  return humanDuration(end - Date.parse(startTime));
}

export function templateColumns<T>(specOf: (object: T) => JobSpec): readonly Column<T>[] {
  return [
    ...containerColumns<T>((object) => specOf(object).template.spec.containers),
    wide(
      column("Selector", "The label selector of the Pods.", (object) =>
        selectorText(specOf(object).selector),
      ),
    ),
  ];
}

export const jobColumns: readonly Column<Job>[] = [
  nameColumn,
  column("Status", "The state of the Job.", statusText),
  column("Completions", "The number of succeeded Pods, and the required number.", completionsText),
  column("Duration", "The duration of the Job.", durationText),
  ageColumn,
  ...templateColumns<Job>(({ spec }) => spec),
];
