import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { ControllerRevision } from "./schema.ts";

function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const [group, version] = owner.apiVersion.split("/");
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}

export const controllerRevisionColumns: readonly Column<ControllerRevision>[] = [
  column("Controller", "The controller of the revision.", controllerText),
  column("Revision", "The revision's number.", ({ revision }) => revision),
];
