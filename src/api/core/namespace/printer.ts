import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { Namespace } from "./schema.ts";

export const namespaceColumns: readonly Column<Namespace>[] = [
  column("Status", "The phase: Active or Terminating.", ({ status }) => status.phase ?? ""),
];
