import { afterEach } from "vitest";
import { decode } from "../../meta/decode.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { silentLogger } from "../../util/logger.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { Codec } from "../resources/codec.ts";
import type { Services } from "../services.ts";
import { WatchHub } from "../watch/hub.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Objects in a store, with the watch cache that authorizers read, and no server around. */
export class Objects {
  readonly services: Pick<Services, "store" | "codec" | "hub">;
  readonly #clock = new VirtualClock();

  constructor() {
    const codec = new Codec();
    const store = new MemoryStore({ clock: this.#clock, stamp: codec.stamp });
    const hub = new WatchHub(store, codec, silentLogger, new Map());
    this.services = { store, codec, hub };
    const stop = new AbortController();
    const ended = hub.run(stop.signal);
    stops.push(() => {
      stop.abort();
      return ended;
    });
  }

  async put(kind: Kind, fields: object): Promise<void> {
    const { apiVersion, schema } = kind;
    const object = { apiVersion, kind: kind.kind, ...decode(schema, fields) } as KubeObject;
    const { store, codec } = this.services;
    await store.commit([{ type: "put", key: keyOf(kind, object), ...codec.encode(object) }]);
    await this.#clock.settle();
  }

  async remove(kind: Kind, metadata: { readonly namespace?: string; readonly name: string }): Promise<void> {
    await this.services.store.commit([{ type: "delete", key: keyOf(kind, { metadata }) }]);
    await this.#clock.settle();
  }
}

function keyOf(kind: Kind, { metadata: { namespace, name } }: Pick<KubeObject, "metadata">): string {
  const place = namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
  return `/registry/${groupResource(kind)}/${place}`;
}
