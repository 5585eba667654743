import type { Column } from "../../../meta/strategy.ts";
import { truncated } from "../../core/endpoints/printer.ts";
import { column } from "../../printing.ts";
import type { EndpointSlice } from "./schema.ts";

const orUnset = (text: string): string => text || "<unset>";

export const endpointSliceColumns: readonly Column<EndpointSlice>[] = [
  column("AddressType", "The type of the addresses.", ({ addressType }) => addressType),
  column("Ports", "The ports of each endpoint.", ({ ports }) =>
    orUnset(truncated(ports.map(({ port, name }) => port ?? name ?? "*"))),
  ),
  column("Endpoints", "The addresses.", ({ endpoints }) =>
    orUnset(truncated(endpoints.flatMap(({ addresses }) => addresses))),
  ),
];
