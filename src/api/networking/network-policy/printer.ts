import type { Column } from "../../../meta/strategy.ts";
import { column, selectorText } from "../../printing.ts";
import type { NetworkPolicy } from "./schema.ts";

export const networkPolicyColumns: readonly Column<NetworkPolicy>[] = [
  column("Pod-Selector", "The label selector of the policy's Pods.", ({ spec }) =>
    selectorText(spec.podSelector),
  ),
];
