import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { ResourceClaim } from "./schema.ts";

export const claimColumns: readonly Column<ResourceClaim>[] = [
  column("State", "Whether devices are allocated, and reserved for a consumer.", stateOf),
];

function stateOf({ metadata, status }: ResourceClaim): string {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const words = isGoing ? ["deleted"] : [];
  if (status.allocation !== undefined) words.push("allocated");
  else if (!isGoing) words.push("pending");
  if (status.allocation !== undefined && status.reservedFor !== undefined) words.push("reserved");
  return words.join(",");
}
