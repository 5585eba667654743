import type { WatchEvent } from "../meta/exchange.ts";
import type { KubeObject } from "../meta/kind.ts";
import type { Status } from "../meta/status.ts";
import type { ListMeta } from "../meta/v1.ts";
import { isStatus, RequestError } from "./errors.ts";
import {
  type ApplyOptions,
  type CallOptions,
  deleteBody,
  type DeleteOptions,
  listQuery,
  type ListOptions,
  type PatchOptions,
  watchQuery,
  type WatchOptions,
  writeQuery,
  type WriteOptions,
} from "./options.ts";
import { resourcePath, type ResourceRef, type Target } from "./path.ts";
import { jsonBody, patchTypes, Subresource, type Writing } from "./subresource.ts";
import type { Transport, TransportBody, TransportRequest } from "./transport.ts";

/** A resource with the form of its objects. */
export interface Resource<O> {
  readonly ref: ResourceRef;
  /** The type written into objects that name none; undefined when the caller must name it. */
  readonly type: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Casts or decodes a value from the server to its type. */
  readonly read: (value: unknown) => O;
}

export interface List<O> {
  readonly items: readonly O[];
  readonly metadata: ListMeta;
}

/** A writer's object; the client fills in the type and the namespace. */
export interface Writable {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    | { readonly name?: string | undefined; readonly namespace?: string | undefined }
    | undefined;
}

/**
 * One resource, in one namespace or in all. Results are immutable: over the in-process transport they are the objects
 * that the server's cache holds. All methods throw what `Transport` throws.
 */
export class ResourceClient<O extends KubeObject, I extends object> {
  readonly #transport: Transport;
  readonly #resource: Resource<O>;
  readonly #namespace: string | undefined;
  readonly #fieldManager: string | undefined;

  constructor(
    transport: Transport,
    resource: Resource<O>,
    options: { readonly namespace?: string | undefined; readonly fieldManager?: string | undefined } = {},
  ) {
    this.#transport = transport;
    this.#resource = resource;
    this.#namespace = options.namespace;
    this.#fieldManager = options.fieldManager;
  }

  async get(name: string, options: CallOptions & { readonly resourceVersion?: string } = {}): Promise<O> {
    return this.#one({
      method: "GET",
      path: this.#path({ name }),
      query: listQuery(options),
      signal: options.signal,
    });
  }

  /** Returns one page, or everything when no limit is given. */
  async list(options: ListOptions = {}): Promise<List<O>> {
    const query = listQuery(options);
    return this.#many({ method: "GET", path: this.#collection(), query, signal: options.signal });
  }

  async create(input: I & Writable, options: WriteOptions = {}): Promise<O> {
    const path = this.#path({ namespace: input.metadata?.namespace });
    return this.#write("POST", path, jsonBody(this.#complete(input)), options);
  }

  /** Replaces the object. A `resourceVersion` in it makes the write a conflict when the object has changed since. */
  async update(input: I & Writable, options: WriteOptions = {}): Promise<O> {
    return this.#write("PUT", this.#pathOf(input), jsonBody(this.#complete(input)), options);
  }

  async updateStatus(input: I & Writable, options: WriteOptions = {}): Promise<O> {
    return this.#write("PUT", this.#pathOf(input, "status"), jsonBody(this.#complete(input)), options);
  }

  async patch(name: string, patch: object, options: PatchOptions): Promise<O> {
    const path = this.#path({ name, subresource: options.subresource });
    return this.#write("PATCH", path, { contentType: patchTypes[options.type], value: patch }, options);
  }

  /** Sends a server-side apply: sets these fields, and makes the field manager their owner. */
  async apply(input: I & Writable, options: ApplyOptions = {}): Promise<O> {
    const body = { contentType: "application/apply-patch+yaml", value: this.#complete(input) };
    return this.#write("PATCH", this.#pathOf(input, options.subresource), body, options);
  }

  /** Returns the object while it terminates, and a Status when it is deleted. */
  async delete(name: string, options: DeleteOptions = {}): Promise<O | Status> {
    const { value } = await this.#transport.request({
      method: "DELETE",
      path: this.#path({ name }),
      body: jsonBody(deleteBody(options)),
      signal: options.signal,
    });
    return isStatus(value) ? value : this.#resource.read(value);
  }

  /** Deletes the objects that the selectors choose; returns the list that it found. */
  async deleteCollection(options: DeleteOptions & ListOptions = {}): Promise<List<O>> {
    return this.#many({
      method: "DELETE",
      path: this.#collection(),
      query: listQuery(options),
      body: jsonBody(deleteBody(options)),
      signal: options.signal,
    });
  }

  /** Yields batches of events. Ends when the server ends the watch; an ERROR event is the last one. */
  async *watch(options: WatchOptions = {}): AsyncIterable<readonly WatchEvent<O>[]> {
    const { read } = this.#resource;
    const { signal } = options;
    const request = { method: "GET", path: this.#collection(), query: watchQuery(options), signal } as const;
    for await (const batch of this.#transport.watch(request)) {
      yield batch.map((event): WatchEvent<O> =>
        event.type === "ERROR" || event.type === "BOOKMARK"
          ? event
          : { type: event.type, object: read(event.object) },
      );
    }
  }

  /**
   * Returns the client of a subresource, such as `scale`, `binding` or `eviction`, whose values have forms of their
   * own.
   */
  subresource<T extends object = KubeObject>(name: string, subresource: string): Subresource<T> {
    return new Subresource<T>(this.#transport, this.#path({ name, subresource }), this.#fieldManager);
  }

  #path(target: Target): string {
    const namespace = this.#namespace ?? target.namespace;
    if (this.#resource.ref.namespaced && namespace === undefined) {
      throw new RequestError(`Cannot address one of ${this.#resource.ref.plural}: no namespace is given`);
    }
    return resourcePath(this.#resource.ref, { ...target, namespace });
  }

  #pathOf({ metadata }: Writable, subresource?: string): string {
    return this.#path({ namespace: metadata?.namespace, name: metadata?.name ?? "", subresource });
  }

  /** Returns the address of the collection, which may span all namespaces. */
  #collection(): string {
    return resourcePath(this.#resource.ref, { namespace: this.#namespace });
  }

  #complete(input: I & Writable): object {
    return { ...this.#resource.type, ...input };
  }

  async #write(method: Writing, path: string, body: TransportBody, options: ApplyOptions): Promise<O> {
    const query = writeQuery({ fieldManager: this.#fieldManager, ...options }, options.force);
    return this.#one({ method, path, query, body, signal: options.signal });
  }

  async #one(request: TransportRequest): Promise<O> {
    return this.#resource.read((await this.#transport.request(request)).value);
  }

  async #many(request: TransportRequest): Promise<List<O>> {
    const { value } = await this.#transport.request({ ...request, list: true });
    // The server is trusted to answer with a list; its items are decoded.
    const { items, metadata } = value as { items: readonly unknown[] | null; metadata?: ListMeta };
    return { items: (items ?? []).map(this.#resource.read), metadata: metadata ?? {} };
  }
}
