import { decode } from "../meta/decode.ts";
import { groupVersion, type InputOf, type Kind, type KubeObject, type ObjectOf } from "../meta/kind.ts";
import { discover, type Discovery } from "./discovery.ts";
import type { CallOptions } from "./options.ts";
import type { ResourceRef } from "./path.ts";
import { type Resource, ResourceClient, type Writable } from "./resource-client.ts";
import type { Transport } from "./transport.ts";

/** An object of a kind that is known only at run time. */
export type UntypedObject = KubeObject<Readonly<Record<string, unknown>>>;
/** The fields of an untyped object that a writer gives. */
export type UntypedInput = Writable & Readonly<Record<string, unknown>>;

/** A resource known only at run time. With `kind`, written objects need not name their type. */
export interface UntypedResource extends ResourceRef {
  readonly kind?: string;
}

export interface ClientOptions {
  /** The field manager of all writes that name none. */
  readonly fieldManager?: string;
}

/**
 * A typed client of any Kubernetes API server.
 *
 *     const client = new Client(transport);
 *     const pod = await client.of(pods, "default").get("web-0");
 */
export class Client {
  readonly transport: Transport;
  readonly #options: ClientOptions;

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.transport = transport;
    this.#options = options;
  }

  /**
   * Returns the client of a kind's resource. Without a namespace, lists and watches span all namespaces, writes use the
   * object's own namespace, and a request for one object of a namespaced resource throws a RequestError.
   */
  of<K extends Kind>(kind: K, namespace?: string): ResourceClient<ObjectOf<K>, InputOf<K>> {
    return new ResourceClient<ObjectOf<K>, InputOf<K>>(
      this.transport,
      typedResource(kind, this.transport.shared),
      {
        namespace,
        ...this.#options,
      },
    );
  }

  /** Returns the client of a resource by its place in the API, for callers that handle every kind alike. */
  resource(ref: UntypedResource, namespace?: string): ResourceClient<UntypedObject, UntypedInput> {
    const type = ref.kind === undefined ? undefined : { apiVersion: groupVersion(ref), kind: ref.kind };
    const read = (value: unknown) => complete(value, type);
    return new ResourceClient(this.transport, { ref, type, read }, { namespace, ...this.#options });
  }

  /** The resources that the server serves. */
  discovery(options: CallOptions = {}): Promise<Discovery> {
    return discover(this.transport, options);
  }
}

/** The resources made so far, one for each kind and form of value. */
const typedResources = {
  shared: new WeakMap<Kind, Resource<never>>(),
  parsed: new WeakMap<Kind, Resource<never>>(),
};

function typedResource<K extends Kind>(kind: K, shared: boolean): Resource<ObjectOf<K>> {
  const cache = shared ? typedResources.shared : typedResources.parsed;
  const known = cache.get(kind);
  if (known !== undefined) return known;
  const type = { apiVersion: kind.apiVersion, kind: kind.kind };
  // Safe: a shared value was decoded by the server with this schema; any other value is decoded here.
  const read = (value: unknown) =>
    (shared ? value : { ...type, ...decode(kind.schema, value) }) as ObjectOf<K>;
  const resource: Resource<ObjectOf<K>> = { ref: kind, type, read };
  // Safe: the entry is only read back for the same kind.
  cache.set(kind, resource as Resource<never>);
  return resource;
}

/** Restores the `kind` and `apiVersion` that items of lists may omit. */
function complete(value: unknown, type: Resource<UntypedObject>["type"]): UntypedObject {
  // The server is trusted to answer with objects.
  const object = value as UntypedObject;
  return object.kind === undefined && type !== undefined ? { ...object, ...type } : object;
}
