import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, ago, column, integer, nameColumn, orNone } from "../../printing.ts";
import { templateColumns } from "../job/printer.ts";
import type { CronJob } from "./schema.ts";

export const cronJobColumns: readonly Column<CronJob>[] = [
  nameColumn,
  column("Schedule", "When Jobs are made.", ({ spec }) => spec.schedule),
  column("Timezone", "The time zone of the schedule.", ({ spec }) => orNone(spec.timeZone)),
  {
    name: "Suspend",
    type: "boolean",
    description: "Whether no further Jobs are made.",
    cell: ({ spec: { suspend } }) => (suspend === undefined ? "<unset>" : suspend ? "True" : "False"),
  },
  integer("Active", "How many Jobs run.", ({ status }) => (status.active ?? []).length),
  column("Last Schedule", "How long ago a Job was last due.", ({ status }, now) =>
    status.lastScheduleTime === undefined ? "<none>" : ago(status.lastScheduleTime, now),
  ),
  ageColumn,
  ...templateColumns<CronJob>(({ spec }) => spec.jobTemplate.spec),
];
