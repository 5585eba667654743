import { events } from "../../api/core/v1/event.ts";
import { fromCore, toCore } from "../../api/events/conversion.ts";
import { type Event as SeriesEvent, events as seriesEvents } from "../../api/events/v1.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import { decodeObject } from "./body.ts";

/** A resource that is another one in the store, under other names. */
export interface StoredAs {
  readonly kind: Kind;
  readonly stored: (shown: KubeObject) => KubeObject;
  readonly shown: (stored: KubeObject) => KubeObject;
}

/** By the resource that is shown. Results are canonical: they pass the schema of what they become. */
export const storedAs: ReadonlyMap<string, StoredAs> = new Map([
  [
    groupResource(seriesEvents),
    {
      kind: events,
      stored: (event) => decodeObject(events, toCore(event as unknown as SeriesEvent)),
      shown: (event) => decodeObject(seriesEvents, fromCore(event as Parameters<typeof fromCore>[0])),
    },
  ],
]);
