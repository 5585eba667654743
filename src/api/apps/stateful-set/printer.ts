import type { Column } from "../../../meta/strategy.ts";
import { readyColumn, templateColumns } from "../printers.ts";
import type { StatefulSet } from "./schema.ts";

export const statefulSetColumns: readonly Column<StatefulSet>[] = [readyColumn, ...templateColumns];
