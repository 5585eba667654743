import type { ApiRequest, ApiResponse, EncodedEvent, Handler, WatchEvent } from "../meta/exchange.ts";
import type { KubeObject } from "../meta/kind.ts";
import { parseSelector } from "../meta/label-parser.ts";
import { errors, StatusError } from "../meta/status.ts";

interface Change {
  readonly revision: number;
  readonly resource: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

interface Route {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/**
 * An API server for tests, as clients see it: get, list, watch (with initial events, bookmarks and 410), create, update
 * with conflicts, merge patches and delete, for any resource in `served`. It has no admission and no defaults. Tests
 * switch faults on.
 */
export class FakeApi {
  /** The plurals that are served; others are 404. */
  readonly served: Set<string>;
  /** True when a watch may ask for initial events. */
  streams = true;
  /** Errors for the next requests, one each, in order. */
  readonly failures: StatusError[] = [];
  /** Every request, as `METHOD path?query`. */
  readonly requests: string[] = [];
  /** The number of open watches. */
  openWatches = 0;
  #revision = 100;
  #compacted = 0;
  #uid = 0;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [];
  readonly #wake = new Set<() => void>();
  #epoch = 0;

  constructor(...served: readonly string[]) {
    this.served = new Set(served);
  }

  get revision(): number {
    return this.#revision;
  }

  readonly handle: Handler = async (request) => {
    await Promise.resolve();
    const search = request.query.toString();
    this.requests.push(`${request.method} ${request.path}${search === "" ? "" : `?${search}`}`);
    try {
      const failure = this.failures.shift();
      if (failure !== undefined) throw failure;
      return this.#route(request);
    } catch (error) {
      const { status } = error instanceof StatusError ? error : errors.internal(error);
      return { status: status.code, headers: {}, body: { type: "object", value: status } };
    }
  };

  /** Ends all watches, as a server does after their time. */
  cutWatches(): void {
    this.#epoch += 1;
    this.#wakeAll();
  }

  /** Forgets the history: watches from an older version are refused. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history.length = 0;
  }

  /** Writes without a request. `silent`: the history is forgotten before a watch could show the write. */
  put(resource: string, object: KubeObject, silent = false): void {
    const key = `${resource}/${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
    this.#store(resource, key, object, this.#objects.get(key), silent);
  }

  remove(resource: string, namespace: string, name: string, silent = false): void {
    const key = `${resource}/${namespace}/${name}`;
    const old = this.#objects.get(key);
    if (old === undefined) return;
    this.#objects.delete(key);
    this.#record(resource, "DELETED", this.#stamp(old), silent);
  }

  objects(resource: string): readonly KubeObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, object]) => object);
  }

  #route(request: ApiRequest): ApiResponse {
    const route = parsePath(request.path);
    if (!this.served.has(route.resource)) throw errors.noSuchPath();
    if (request.method === "GET" && route.name === undefined) {
      return request.query.get("watch") === "true" ? this.#watch(route, request) : this.#list(route, request);
    }
    const key = `${route.resource}/${route.namespace ?? ""}/${route.name ?? nameOf(request)}`;
    const old = this.#objects.get(key);
    if (request.method === "POST") {
      if (old !== undefined) throw errors.alreadyExists(route, nameOf(request));
      return answer(this.#store(route.resource, key, bodyOf(request), undefined), 201);
    }
    if (old === undefined) throw errors.notFound(route, route.name ?? "");
    switch (request.method) {
      case "GET":
        return answer(old);
      case "DELETE":
        this.remove(route.resource, route.namespace ?? "", route.name ?? "");
        return answer(old);
      case "PATCH":
        return answer(this.#store(route.resource, key, merge(old, bodyOf(request)), old));
      default:
        return answer(this.#update(route, key, bodyOf(request), old));
    }
  }

  #update(route: Route, key: string, object: KubeObject, old: KubeObject): KubeObject {
    const { resourceVersion } = object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      throw errors.conflict(route, route.name ?? "", "the object has been modified");
    }
    return this.#store(route.resource, key, object, old);
  }

  #store(
    resource: string,
    key: string,
    object: KubeObject,
    old: KubeObject | undefined,
    silent = false,
  ): KubeObject {
    const uid = old?.metadata.uid ?? `uid-${++this.#uid}`;
    const stored = this.#stamp({ ...object, metadata: { ...object.metadata, uid } });
    this.#objects.set(key, stored);
    this.#record(resource, old === undefined ? "ADDED" : "MODIFIED", stored, silent);
    return stored;
  }

  #stamp(object: KubeObject): KubeObject {
    this.#revision += 1;
    return freeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } });
  }

  #record(resource: string, type: Change["type"], object: KubeObject, silent: boolean): void {
    if (silent) this.compact();
    else this.#history.push({ revision: this.#revision, resource, type, object });
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }

  #list(route: Route, { query }: ApiRequest): ApiResponse {
    const items = this.objects(route.resource).filter(selects(route, query));
    const metadata = { resourceVersion: String(this.#revision) };
    return {
      status: 200,
      headers: {},
      body: { type: "object", value: { kind: "List", apiVersion: "v1", metadata, items } },
    };
  }

  #watch(route: Route, { query, signal }: ApiRequest): ApiResponse {
    const initial = query.get("sendInitialEvents") === "true";
    if (initial && !this.streams) {
      throw errors.invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", []);
    }
    const from = Number(query.get("resourceVersion") ?? 0);
    const wanted = selects(route, query);
    const batches = this.#events(route, from, initial, wanted, signal);
    return { status: 200, headers: {}, body: { type: "events", contentType: "application/json", batches } };
  }

  async *#events(
    { resource }: Route,
    from: number,
    initial: boolean,
    wanted: (object: KubeObject) => boolean,
    signal: AbortSignal,
  ): AsyncIterable<readonly EncodedEvent[]> {
    const epoch = this.#epoch;
    let seen = from;
    this.openWatches += 1;
    const wake = () => [...this.#wake].forEach((one) => one());
    signal.addEventListener("abort", wake);
    try {
      if (initial) {
        seen = this.#revision;
        const bookmark = {
          annotations: { "k8s.io/initial-events-end": "true" },
          resourceVersion: String(seen),
        };
        yield this.objects(resource)
          .filter(wanted)
          .map((object) => encode({ type: "ADDED", object }));
        yield [encode({ type: "BOOKMARK", object: { apiVersion: "v1", kind: "Any", metadata: bookmark } })];
      }
      while (!signal.aborted && epoch === this.#epoch) {
        if (seen < this.#compacted) {
          const { status } = errors.expired(`too old resource version: ${seen} (${this.#compacted})`);
          yield [encode({ type: "ERROR", object: status })];
          return;
        }
        const news = this.#history.filter((change) => change.revision > seen && change.resource === resource);
        seen = this.#revision;
        if (news.length > 0) {
          yield news
            .filter(({ object }) => wanted(object))
            .map(({ type, object }) => encode({ type, object }));
        } else await new Promise<void>((resolve) => this.#wake.add(resolve));
      }
    } finally {
      signal.removeEventListener("abort", wake);
      this.openWatches -= 1;
    }
  }
}

function parsePath(path: string): Route {
  const segments = path.split("/").slice(1).map(decodeURIComponent);
  const group = segments[0] === "api" ? "" : (segments[1] ?? "");
  const rest = segments.slice(segments[0] === "api" ? 2 : 3);
  if (rest[0] === "namespaces" && rest.length > 2) {
    return { group, namespace: rest[1], resource: rest[2] ?? "", name: rest[3] };
  }
  return { group, namespace: undefined, resource: rest[0] ?? "", name: rest[1] };
}

function selects({ namespace }: Route, query: URLSearchParams): (object: KubeObject) => boolean {
  const selector = parseSelector(query.get("labelSelector") ?? "");
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) && selector.matches(metadata.labels);
}

function bodyOf({ body }: ApiRequest): KubeObject {
  if (body.type !== "object") throw errors.badRequest("a body is missing");
  return body.value as KubeObject;
}

const nameOf = (request: ApiRequest) => bodyOf(request).metadata.name ?? "";

function merge<T>(target: T, patch: unknown): T {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch as T;
  const result = { ...target } as Record<string, unknown>;
  for (const [key, value] of Object.entries(patch)) result[key] = merge(result[key], value);
  return result as T;
}

/** Freezes an object, because clients must never change what they get. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

function answer(value: KubeObject, status = 200): ApiResponse {
  return { status, headers: {}, body: { type: "object", value } };
}

function encode(event: WatchEvent): EncodedEvent {
  return { event, encoded: () => Buffer.from(`${JSON.stringify(event)}\n`) };
}
