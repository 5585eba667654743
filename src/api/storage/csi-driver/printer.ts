import type { Column } from "../../../meta/strategy.ts";
import { column, orNone, yesOrNo } from "../../printing.ts";
import type { CSIDriver } from "./schema.ts";

export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  yesOrNo(
    "AttachRequired",
    "Whether volumes must be attached before they are mounted.",
    ({ spec }) => spec.attachRequired ?? true,
  ),
  yesOrNo(
    "PodInfoOnMount",
    "Whether the driver receives information about the Pod when it mounts.",
    ({ spec }) => spec.podInfoOnMount ?? false,
  ),
  yesOrNo(
    "StorageCapacity",
    "Whether the driver reports its storage capacity.",
    ({ spec }) => spec.storageCapacity ?? false,
  ),
  column("TokenRequests", "The audiences of the driver's tokens.", ({ spec: { tokenRequests } }) =>
    tokenRequests === undefined ? "<unset>" : tokenRequests.map(({ audience }) => audience).join(","),
  ),
  yesOrNo(
    "RequiresRepublish",
    "Whether mounts are periodically republished.",
    ({ spec }) => spec.requiresRepublish ?? false,
  ),
  column("Modes", "The supported volume lifecycles.", ({ spec }) =>
    orNone((spec.volumeLifecycleModes ?? []).join(",")),
  ),
];
