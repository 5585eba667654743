import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { Endpoints } from "./schema.ts";

/** The maximum number of entries in a cell. */
const shown = 3;

function endpointsText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const entries = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return truncated(entries);
}

/** The first entries, and the number of the remaining ones. */
export function truncated(entries: readonly (string | number)[]): string {
  const more = entries.length - shown;
  const text = entries.slice(0, shown).join(",");
  return more > 0 ? `${text} + ${more} more...` : text;
}

export const endpointsColumns: readonly Column<Endpoints>[] = [
  column("Endpoints", "The ready addresses with their ports.", endpointsText),
];
