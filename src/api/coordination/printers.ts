import type { Column } from "../../meta/strategy.ts";
import { column } from "../printing.ts";
import type { Lease } from "./v1.ts";

export const leaseColumns: readonly Column<Lease>[] = [
  column("Holder", "The present holder.", ({ spec }) => spec.holderIdentity ?? ""),
];
