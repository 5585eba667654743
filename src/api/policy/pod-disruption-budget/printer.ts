import type { Column } from "../../../meta/strategy.ts";
import { column, integer } from "../../printing.ts";
import type { PodDisruptionBudget } from "./schema.ts";

const amountText = (amount: number | string | undefined) => String(amount ?? "N/A");

export const columns: readonly Column<PodDisruptionBudget>[] = [
  column("Min Available", "The minimum number of available Pods after an eviction.", ({ spec }) =>
    amountText(spec.minAvailable),
  ),
  column("Max Unavailable", "The maximum number of unavailable Pods after an eviction.", ({ spec }) =>
    amountText(spec.maxUnavailable),
  ),
  integer(
    "Allowed Disruptions",
    "The number of evictions that are currently allowed.",
    ({ status }) => status.disruptionsAllowed,
  ),
];
