import type { Column } from "../../../meta/strategy.ts";
import { column, containerColumns, labelsText, nameColumn } from "../../printing.ts";
import type { PodTemplate } from "./schema.ts";

export const podTemplateColumns: readonly Column<PodTemplate>[] = [
  nameColumn,
  ...containerColumns<PodTemplate>(({ template }) => template.spec.containers).map((one) => ({
    ...one,
    priority: 0,
  })),
  column("Pod Labels", "The labels of the Pods.", ({ template }) => labelsText(template.metadata.labels)),
];
