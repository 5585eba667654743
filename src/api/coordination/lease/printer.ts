import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { Lease } from "./schema.ts";

export const leaseColumns: readonly Column<Lease>[] = [
  column("Holder", "The current holder.", ({ spec }) => spec.holderIdentity ?? ""),
];
