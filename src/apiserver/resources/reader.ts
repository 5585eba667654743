import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Store } from "../../store/store.ts";
import type { Codec } from "./codec.ts";
import type { ResourceTable } from "./served.ts";

interface Sources {
  readonly store: Store;
  readonly codec: Codec;
  readonly resources: ResourceTable;
}

/**
 * Typed reads of stored objects. An empty namespace stands for a cluster-scoped object, or for the objects of
 * all namespaces.
 */
export class Reader {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Returns undefined for a missing object. */
  get<O extends object, I extends object>(
    kind: Kind<O, I>,
    namespace: string,
    name: string,
  ): KubeObject<O> | undefined {
    const { store, codec, resources } = this.#sources;
    const entry = store.read(resources.of(kind).key(namespace, name));
    return entry === undefined ? undefined : codec.read(kind, entry);
  }

  list<O extends object, I extends object>(kind: Kind<O, I>, namespace = ""): readonly KubeObject<O>[] {
    const { store, codec, resources } = this.#sources;
    return store.list(resources.of(kind).prefix(namespace)).entries.map((entry) => codec.read(kind, entry));
  }
}
