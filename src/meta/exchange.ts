import type { Readable } from "node:stream";
import type { KubeObject } from "./kind.ts";
import type { Status } from "./status.ts";

/**
 * A request and its response, as the API server's chain handles them. HTTP and the in-process transport
 * produce the same values; the in-process transport only skips the serialization.
 */
export interface ApiRequest {
  readonly method: string;
  /** Without the query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent, without the question mark; absent for requests of this process. */
  readonly search?: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly caller: Caller;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export type RequestBody =
  | { readonly type: "none" }
  /** @throws StatusError 413 above the limit, 400 when the connection breaks. */
  | { readonly type: "bytes"; readonly read: (limit: number) => Promise<Uint8Array> }
  /** A value from the same process. It is not shared and not frozen, and the server does not change it. */
  | { readonly type: "object"; readonly value: object };

/** The claimed identity of the caller. The chain's first step authenticates it. */
export type Caller =
  /** A caller over a connection, with the information from its TLS session. */
  | {
      readonly type: "connection";
      readonly address: string;
      readonly certificate?: ClientCertificate | "rejected";
    }
  /** A component in this process. The composition root sets its identity. */
  | { readonly type: "component"; readonly user: UserInfo };

/** A client certificate that TLS has verified against the cluster's CA. */
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
  /** The texts of `Warning` headers, in any script. HTTP carries their UTF-8 bytes. */
  readonly warnings?: readonly string[];
  /** The values of `Set-Cookie` headers, from a backend. */
  readonly cookies?: readonly string[];
  readonly body: ResponseBody;
}

/** A list with shared items. `value` builds the list as clients see it, without the types of built-in items. */
export interface ListBody {
  readonly type: "list";
  /** The content type of `chunks`; JSON by default. */
  readonly contentType?: string;
  readonly head: ListHead;
  readonly items: readonly ListItem[];
  readonly value: () => object;
  readonly chunks: () => Iterable<Uint8Array>;
}

/** A list without its items. */
export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: object;
}

export interface ListItem {
  /** The object, which may have to be parsed first. */
  readonly object: KubeObject;
  /** The object's JSON bytes, if they exist. The bytes are the same as long as the object is stored. */
  readonly encoded: Uint8Array | undefined;
}

export type ResponseBody =
  | { readonly type: "empty" }
  /** An object; `encoded` is its JSON, if it exists. */
  | { readonly type: "object"; readonly value: object; readonly encoded?: Uint8Array }
  | ListBody
  | { readonly type: "bytes"; readonly contentType: string; readonly bytes: Uint8Array }
  /**
   * A watch. Each batch contains the events of one tick. The iterable ends when the server ends the watch.
   */
  | {
      readonly type: "events";
      readonly contentType: string;
      readonly batches: AsyncIterable<readonly EncodedEvent[]>;
    }
  /** Raw bytes until the end of the stream, such as a container's log. */
  | { readonly type: "stream"; readonly contentType: string; readonly stream: Readable };

/** A watch event. Its wire form is made once for all watchers. */
export interface EncodedEvent {
  readonly event: WatchEvent;
  /** The event as one line of the response. */
  readonly encoded: () => Uint8Array;
}

export type WatchEvent<T = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /**
   * A bookmark contains kind, apiVersion and metadata.resourceVersion only, and possibly the
   * initial-events-end annotation.
   */
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status };

/** The request handler of the API server, as transports use it. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
