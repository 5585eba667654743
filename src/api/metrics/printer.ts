import { addQuantities, formatQuantity, parseQuantity, type Quantity } from "../../meta/quantity.ts";
import type { Column } from "../../meta/strategy.ts";
import { ownValue } from "../../util/table.ts";
import { column, nameColumn } from "../printing.ts";
import type { NodeMetrics, PodMetrics } from "./schema.ts";

type Usage = NodeMetrics["usage"];

const none: Quantity = { nanos: 0n, format: "decimal" };

/** The columns of metrics-server (`pkg/api/table.go`). */
function columnsOf<T extends { readonly window: string }>(
  usages: (metrics: T) => readonly Usage[],
): readonly Column<T>[] {
  const total = (resource: string, description: string): Column<T> => ({
    ...column(resource, description, (metrics) => {
      const amounts = usages(metrics).flatMap((usage) => ownValue(usage, resource) ?? []);
      return formatQuantity(amounts.map(parseQuantity).reduce(addQuantities, none));
    }),
    format: "quantity",
  });
  return [
    total("cpu", "The CPU in use."),
    total("memory", "The memory in use."),
    { ...column("Window", "The length of the measurement.", ({ window }) => window), format: "duration" },
  ];
}

export const podMetricsColumns: readonly Column<PodMetrics>[] = [
  nameColumn,
  ...columnsOf<PodMetrics>(({ containers }) => containers.map(({ usage }) => usage)),
];

export const nodeMetricsColumns: readonly Column<NodeMetrics>[] = [
  nameColumn,
  ...columnsOf<NodeMetrics>(({ usage }) => [usage]),
];
