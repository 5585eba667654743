import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { ServiceCIDR } from "./schema.ts";

export const serviceCIDRColumns: readonly Column<ServiceCIDR>[] = [
  column("CIDRs", "The subnets.", ({ spec }) => (spec.cidrs ?? []).join(",")),
];
