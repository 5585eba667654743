import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, ago, column, integer, nameColumn, orNone } from "../../printing.ts";
import { templateColumns } from "../job/printer.ts";
import type { CronJob } from "./schema.ts";

export const cronJobColumns: readonly Column<CronJob>[] = [
  nameColumn,
  column("Schedule", "The schedule in cron format.", ({ spec }) => spec.schedule),
  column("Timezone", "The time zone of the schedule.", ({ spec }) => orNone(spec.timeZone)),
  {
    name: "Suspend",
    type: "boolean",
    description: "Whether the creation of Jobs is suspended.",
    cell: ({ spec: { suspend } }) => (suspend === undefined ? "<unset>" : suspend ? "True" : "False"),
  },
  integer("Active", "The number of running Jobs.", ({ status }) => (status.active ?? []).length),
  column("Last Schedule", "The time since the last scheduled time.", ({ status }, now) =>
    status.lastScheduleTime === undefined ? "<none>" : ago(status.lastScheduleTime, now),
  ),
  ageColumn,
  ...templateColumns<CronJob>(({ spec }) => spec.jobTemplate.spec),
];
