import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Entry, Store } from "../../store/store.ts";
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
    const { store, resources } = this.#sources;
    const entry = store.read(resources.of(kind).key(namespace, name));
    return entry === undefined ? undefined : this.#decode<O>(entry);
  }

  list<O extends object, I extends object>(kind: Kind<O, I>, namespace = ""): readonly KubeObject<O>[] {
    const { store, resources } = this.#sources;
    return store.list(resources.of(kind).prefix(namespace)).entries.map((entry) => this.#decode<O>(entry));
  }

  /** Safe: below a kind's prefix the store holds only objects that its schema has decoded. */
  #decode<O extends object>(entry: Entry): KubeObject<O> {
    return this.#sources.codec.decode(entry) as KubeObject<O>;
  }
}
