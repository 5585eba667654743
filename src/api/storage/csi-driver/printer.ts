import type { Column } from "../../../meta/strategy.ts";
import { column, orNone, yesOrNo } from "../../printing.ts";
import type { CSIDriver } from "./schema.ts";

export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  yesOrNo("AttachRequired", "Whether volumes are attached first.", ({ spec }) => spec.attachRequired ?? true),
  yesOrNo("PodInfoOnMount", "Whether it is told about the Pod.", ({ spec }) => spec.podInfoOnMount ?? false),
  yesOrNo(
    "StorageCapacity",
    "Whether it says how much is left.",
    ({ spec }) => spec.storageCapacity ?? false,
  ),
  column("TokenRequests", "Audiences of the tokens that it gets.", ({ spec: { tokenRequests } }) =>
    tokenRequests === undefined ? "<unset>" : tokenRequests.map(({ audience }) => audience).join(","),
  ),
  yesOrNo(
    "RequiresRepublish",
    "Whether it renews mounts again and again.",
    ({ spec }) => spec.requiresRepublish ?? false,
  ),
  column("Modes", "What volumes it has.", ({ spec }) => orNone((spec.volumeLifecycleModes ?? []).join(","))),
];
