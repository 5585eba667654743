import type { Column } from "../../../meta/strategy.ts";
import { column, nameColumn } from "../../printing.ts";
import type { IPAddress } from "./schema.ts";

function parentText({ spec: { parentRef } }: IPAddress): string {
  if (parentRef === undefined) return "<none>";
  const { group, resource = "", namespace, name = "" } = parentRef;
  const place = group === undefined ? resource : `${resource}.${group}`;
  return [place.toLowerCase(), namespace, name].filter((part) => part !== undefined).join("/");
}

/** Omits the age: upstream writes a cell for it, but declares no column. */
export const ipAddressColumns: readonly Column<IPAddress>[] = [
  nameColumn,
  column("ParentRef", "The object that uses the address.", parentText),
];
