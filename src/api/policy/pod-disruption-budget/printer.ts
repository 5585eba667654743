import type { Column } from "../../../meta/strategy.ts";
import { column, integer } from "../../printing.ts";
import type { PodDisruptionBudget } from "./schema.ts";

const amountText = (amount: number | string | undefined) => String(amount ?? "N/A");

export const columns: readonly Column<PodDisruptionBudget>[] = [
  column("Min Available", "How many Pods must stay.", ({ spec }) => amountText(spec.minAvailable)),
  column("Max Unavailable", "How many Pods may go.", ({ spec }) => amountText(spec.maxUnavailable)),
  integer("Allowed Disruptions", "How many Pods may go now.", ({ status }) => status.disruptionsAllowed),
];
