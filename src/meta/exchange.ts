import type { Readable } from "node:stream";
import type { KubeObject } from "./kind.ts";
import type { Status } from "./status.ts";

/**
 * One request and its answer, as the API server's chain sees them. HTTP and the in-process transport make
 * the very same values; in-process callers only skip the bytes.
 */
export interface ApiRequest {
  readonly method: string;
  /** Without the query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly caller: Caller;
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal;
}

export type RequestBody =
  | { readonly type: "none" }
  /** @throws StatusError 413 past the limit, 400 when the connection broke off. */
  | { readonly type: "bytes"; readonly read: (limit: number) => Promise<Uint8Array> }
  /** A value from the same process: not shared, not frozen by us, and never changed by the server. */
  | { readonly type: "object"; readonly value: object };

/** Who a request claims to come from; the chain's first step proves it. */
export type Caller =
  /** Came through a connection, with what its TLS session knows. */
  | {
      readonly type: "connection";
      readonly address: string;
      readonly certificate?: ClientCertificate | "rejected";
    }
  /** A component in this process, which the composition root gave its identity. */
  | { readonly type: "component"; readonly user: UserInfo };

/** A client certificate that chains to the cluster's CA (TLS has verified it). */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 over the DER form, in lower-case hex. */
  readonly fingerprint: string;
}

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of its `Warning` headers, in any script: HTTP carries the bytes of their UTF-8. */
  readonly warnings?: readonly string[];
  readonly body: ResponseBody;
}

/** A list whose items are shared: the value is built only for those who want one. */
export interface ListBody {
  readonly type: "list";
  /** What `chunks` gives; JSON where nothing is said. */
  readonly contentType?: string;
  readonly head: ListHead;
  readonly items: readonly ListItem[];
  readonly value: () => object;
  readonly chunks: () => Iterable<Uint8Array>;
}

/** All of a list but its items. */
export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: object;
}

export interface ListItem {
  /** To read it may take parsing. */
  readonly object: KubeObject;
  /** Its JSON, the same bytes as long as it is stored, where they exist already. */
  readonly encoded: Uint8Array | undefined;
}

export type ResponseBody =
  | { readonly type: "empty" }
  /** An object; `encoded` is its JSON where that exists already. */
  | { readonly type: "object"; readonly value: object; readonly encoded?: Uint8Array }
  | ListBody
  | { readonly type: "bytes"; readonly contentType: string; readonly bytes: Uint8Array }
  /** A watch. Each batch holds what happened in one tick; the iterable ends when the server ends the watch. */
  | {
      readonly type: "events";
      readonly contentType: string;
      readonly batches: AsyncIterable<readonly EncodedEvent[]>;
    }
  /** Raw bytes until the end, such as a container's log. */
  | { readonly type: "stream"; readonly contentType: string; readonly stream: Readable };

/** A watch event, with its wire form made once for all who get it. */
export interface EncodedEvent {
  readonly event: WatchEvent;
  /** The event as one line of the response. */
  readonly encoded: () => Uint8Array;
}

export type WatchEvent<T = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /** Only kind, apiVersion and metadata.resourceVersion are there (and the initial-events-end annotation). */
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status };

/** What serves requests: the API server's chain, as seen by transports. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
