import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { APIService } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

export const apiServiceColumns: readonly Column<APIService>[] = [
  column("Service", "The Service of the backend.", ({ spec: { service } }) =>
    service === undefined ? "Local" : `${service.namespace ?? ""}/${service.name ?? ""}`,
  ),
  column("Available", "Whether the backend is available.", availableText),
];

function availableText({ status: { conditions } }: APIService): string {
  const { status = "Unknown", reason } = findCondition(conditions, "Available") ?? {};
  return status === "True" || reason === undefined ? status : `${status} (${reason})`;
}
