import { humanDuration } from "../meta/human-duration.ts";
import type { KubeObject } from "../meta/kind.ts";
import { SelectorError, selectorOf } from "../meta/labels.ts";
import type { Column } from "../meta/strategy.ts";
import type { LabelSelector } from "../meta/v1.ts";
import type { Container } from "./core/pod/container.ts";

/** Columns that several kinds share, following upstream's `printers/internalversion`. */

type Cell<T> = Column<T>["cell"];

/** A text column. */
export function column<T>(name: string, description: string, cell: Cell<T>): Column<T> {
  return { name, type: "string", description, cell };
}

export function integer<T>(name: string, description: string, cell: Cell<T>): Column<T> {
  return { name, type: "integer", description, cell };
}

/** Shows the column only with `-o wide`. */
export function wide<T>(of: Column<T>): Column<T> {
  return { ...of, priority: 1 };
}

export const nameColumn: Column<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name, unique within the namespace.",
  cell: ({ metadata }) => metadata.name ?? "",
};

export const ageColumn: Column<KubeObject> = column(
  "Age",
  "The time since the object was created.",
  ({ metadata }, now) => ago(metadata.creationTimestamp, now),
);

/** The columns of kinds without a printer in upstream. */
export const plainColumns: readonly Column<KubeObject>[] = [
  nameColumn,
  column(
    "Created At",
    "The time when the object was created.",
    ({ metadata }) => metadata.creationTimestamp ?? "",
  ),
];

/** The time since a timestamp in human-readable form. */
export function ago(timestamp: string | undefined, now: number): string {
  return timestamp === undefined ? "<unknown>" : humanDuration(now - Date.parse(timestamp));
}

/** Two wide columns with the names and images of containers. */
export function containerColumns<T>(containers: (object: T) => readonly Container[]): readonly Column<T>[] {
  return [
    wide(column("Containers", "Names of the containers.", (object) => join(containers(object), "name"))),
    wide(column("Images", "Images of the containers.", (object) => join(containers(object), "image"))),
  ];
}

function join(containers: readonly Container[], field: "name" | "image"): string {
  return containers.map((container) => container[field] ?? "").join(",");
}

export function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(",") || "<none>";
}

export function selectorText(selector: LabelSelector | undefined): string {
  try {
    return selectorOf(selector).toString() || "<none>";
  } catch (error) {
    if (error instanceof SelectorError) return "<error>";
    throw error;
  }
}

export const orNone = (text: string | undefined): string => text || "<none>";

export const size = (map: object = {}): number => Object.keys(map).length;

export function yesOrNo<T>(name: string, description: string, cell: (object: T) => boolean): Column<T> {
  return { name, type: "boolean", description, cell };
}
