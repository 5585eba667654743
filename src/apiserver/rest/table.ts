import { humanDuration } from "../../meta/human-duration.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Column } from "../../meta/strategy.ts";
import type { ServedResource } from "../resources/served.ts";

/** The part of each object in a Table's rows. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableMetadata {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

const nameColumn: Column<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name, unique within the namespace.",
  cell: ({ metadata }) => metadata.name ?? "",
};

const ageColumn: Column<KubeObject> = {
  name: "Age",
  type: "string",
  description: "How long ago the object was created.",
  cell: ({ metadata }, now) => age(metadata.creationTimestamp, now),
};

export function age(timestamp: string | undefined, now: number): string {
  return timestamp === undefined ? "<unknown>" : humanDuration(now - Date.parse(timestamp));
}

/**
 * Returns all columns of a resource: Name first, and Age after the standard columns unless the kind overrides
 * it.
 */
export function columnsOf({ strategy }: ServedResource): readonly Column<KubeObject>[] {
  const columns = strategy.columns ?? [];
  if (columns.some(({ format }) => format === "name")) return columns;
  const wide = columns.findIndex(({ priority = 0 }) => priority > 0);
  const cut = wide < 0 ? columns.length : wide;
  return [nameColumn, ...columns.slice(0, cut), ageColumn, ...columns.slice(cut)];
}

/** The server-side rendering that `kubectl get` prints (KEP-555). */
export function table(
  resource: ServedResource,
  objects: readonly KubeObject[],
  metadata: TableMetadata,
  include: IncludeObject,
  now: number,
  withDefinitions = true,
): Table {
  const columns = columnsOf(resource);
  const { compareRows } = resource.strategy;
  const ordered = compareRows === undefined ? objects : objects.toSorted(compareRows);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: withDefinitions
      ? columns.map(({ name, type, format = "", description, priority = 0 }) => ({
          name,
          type,
          format,
          description,
          priority,
        }))
      : null,
    rows: ordered.map((object) => ({
      cells: columns.map(({ cell, type }) => {
        const value = cell(object, now);
        return type === "date" && typeof value === "string" ? age(value, now) : value;
      }),
      ...(include === "None" ? {} : { object: include === "Object" ? object : partialMetadata(object) }),
    })),
  };
}

export function partialMetadata({ metadata }: KubeObject): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}

/** The versions of Tables and metadata, which have equal content. */
export const metaVersions = ["v1", "v1beta1"] as const;
export type MetaVersion = (typeof metaVersions)[number];

/** Returns a Table, or metadata, in the requested version. */
export function inVersion(shown: KubeObject<Shape>, version: MetaVersion): KubeObject {
  if (version === "v1") return shown;
  const { rows, items } = shown;
  const older = <T extends object>(one: T) => ({ ...one, apiVersion: `meta.k8s.io/${version}` });
  const isMetadata = ({ object }: Row) => object?.kind === "PartialObjectMetadata";
  return {
    ...older(shown),
    ...(items === undefined ? {} : { items: items.map(older) }),
    ...(rows === undefined
      ? {}
      : { rows: rows.map((row) => (isMetadata(row) ? { ...row, object: older(row.object ?? {}) } : row)) }),
  };
}

interface Row {
  readonly object?: { readonly kind: string };
}

/** The parts of a Table, and of a list of metadata, that have versions of their own. */
interface Shape {
  readonly rows?: readonly Row[];
  readonly items?: readonly object[];
}

export type Table = KubeObject<{
  readonly columnDefinitions: readonly object[] | null;
  readonly rows: readonly Row[];
}>;
